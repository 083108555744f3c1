// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of the quality gates. */
#include "reports/analysis/quality.h"

const struct quality_rule quality_rules[QUALITY_GATES] = {
	[QUALITY_MODE] =
		{
			.name = "mode",
			.unit = "blocks",
			.limit = 0,
			.advice = "the kernel ran another mode than the one asked for; these blocks do not measure the "
				  "variant",
			.found = "blocks (#) ran in another mode than the one asked for",
			.consequence = "the cost is not that of the mode it is named after",
			.counts = true,
		},
	[QUALITY_SATURATION] =
		{
			.name = "saturation",
			.unit = "% busy",
			.limit = 97,
			.at_least = true,
			.telling = true,
			.advice = "give the generator more load; until then the cost rests on busy time and on smaller "
				  "polls",
			.found = "the CPU was only # % busy",
			.consequence = "a CPU that pauses polls for fewer packets, and each may cost more",
		},
	[QUALITY_RATE] =
		{
			.name = "rate",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "the device's counter and the program's contradict each other, or the CPU was busy "
				  "for longer than the window; use longer windows",
			.found = "two counts of the packets, or two clocks, differ by # %",
			.consequence = "the cost is not known better than that",
		},
	[QUALITY_PLACEMENT] =
		{
			.name = "placement",
			.unit = "% of blocks alike",
			.limit = 100,
			.at_least = true,
			.may_be_unknown = true,
			.telling = true,
			.advice = "near and far blocks are mixed in these numbers; record more blocks, or pick one "
				  "placement",
			.found = "only # % of the blocks ran at one distance between the CPUs",
			.consequence = "the cost is a mix of near and far CPUs",
		},
	[QUALITY_PACE] =
		{
			.name = "pace",
			.unit = "% set aside",
			.limit = 33,
			.may_be_unknown = true,
			.telling = true,
			.advice = "the machine had another speed for much of the time; measure when it is quiet",
			.found = "the machine had another speed for # % of the run",
			.consequence = "the cost is that of the rest, which is short",
		},
	[QUALITY_CPUS] =
		{
			.name = "cpus",
			.unit = "CPUs",
			.limit = 0,
			.advice =
				"packets were processed on other CPUs than those measured; check the queues' affinity",
			.found = "packets were processed on other CPUs than those measured",
			.consequence = "their work is missing from the cost",
		},
	[QUALITY_OVERHEAD] =
		{
			.name = "overhead",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "profiling slows the path down; lower the sampling rate",
			.found = "profiling slowed the path down by # %",
			.consequence = "the cost was measured without it, but its facilities may be off by as much",
		},
	[QUALITY_LOST_SAMPLES] =
		{
			.name = "lost-samples",
			.unit = "%",
			.limit = 1,
			.may_be_unknown = true,
			.advice = "perf lost samples; lower the sampling rate or give perf more memory",
			.found = "perf lost # % of its samples",
			.consequence = "the facilities may be off by as much",
		},
	[QUALITY_SAMPLED_BUSY] =
		{
			.name = "sampled-busy",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "the samples do not account for the CPU's busy time, so shares may be wrong; use "
				  "longer profiled windows, and more blocks where the load comes at regular intervals: "
				  "samples then keep step with it",
			.found = "the samples are # % off the CPU's busy time",
			.consequence = "the facilities may be off by as much",
		},
	[QUALITY_CLOSURE] =
		{
			.name = "closure",
			.unit = "% of base",
			.limit = 4,
			.may_be_unknown = true,
			.advice = "the functions do not add up to the base, by more than profiling explains; read the "
				  "gates overhead and sampled-busy, and do not use costs of functions until they do",
			.found = "the functions add up to # % more or less than the base",
			.consequence = "some facilities are wrong by as much in total",
		},
	[QUALITY_IRQS_OFF] =
		{
			.name = "irqs-off",
			.unit = "% of samples",
			.limit = 5,
			.may_be_unknown = true,
			.advice = "the timer of the samples waited until interrupts came back on; read the functions "
				  "marked \"irqs off\" as a group",
			.found = "# % of the samples waited until interrupts came back on",
			.consequence = "read the functions marked \"irqs off\" as a group",
		},
	[QUALITY_SHARES_ALIKE] =
		{
			.name = "shares-alike",
			.unit = "points",
			.limit = 5,
			.may_be_unknown = true,
			.advice =
				"the facilities' costs are those at the median speed, and do not scale to another one; "
				"compare them with runs of like speed, or measure when the machine is quiet",
			.found = "a facility's part of the cost changes by # points where the machine is slower",
			.consequence = "the facilities' costs hold for the speed of this run alone",
		},
	[QUALITY_TRACERS] =
		{
			.name = "tracers",
			.unit = "% of base",
			.limit = 1,
			.may_be_unknown = true,
			.advice = "stop these programs, or compare with nothing that was measured without them",
			.found = "# % of the cost went into tracing programs of somebody else",
			.consequence = "a packet costs less where these programs do not run",
		},
	[QUALITY_CONSERVATION] =
		{
			.name = "conservation",
			.unit = "packets",
			.limit = 0,
			.may_be_unknown = true,
			.advice = "packets got lost or came from elsewhere, and no counter explains them; check the "
				  "device's statistics",
			.found = "packets (#) that no counter explains got lost or came from elsewhere",
			.consequence = "do not trust the packet rate",
			.counts = true,
		},
	[QUALITY_STRAY] =
		{
			.name = "stray",
			.unit = "% of packets",
			.limit = 0.1,
			.may_be_unknown = true,
			.advice = "packets that the generator did not send are in the numbers; stop other traffic on "
				  "the link",
			.found = "# % of the packets did not come from the generator",
			.consequence = "the cost includes these packets",
		},
	[QUALITY_TOLD] =
		{
			.name = "verdicts",
			.unit = "frames",
			.limit = 0,
			.may_be_unknown = true,
			.advice = "what counters say of this program's frames and what became of them differs; frames "
				  "that GRO merges are one packet in skb mode",
			.found = "frames (#) ended in no place that was counted, or in two",
			.consequence = "the verdicts of the program are not known for sure",
			.counts = true,
		},
	[QUALITY_TX_RETURNED] =
		{
			.name = "tx-returned",
			.unit = "frames missing",
			.limit = 0,
			.may_be_unknown = true,
			.advice = "the frames did not leave, so this is not the cost of sending them; on veth, the "
				  "peer needs an XDP program to take them",
			.found = "frames (#) did not leave",
			.consequence = "this is not the cost of sending them",
			.counts = true,
		},
	[QUALITY_SECOND_STAGE] =
		{
			.name = "second-stage",
			.unit = "frames missing",
			.limit = 0,
			.may_be_unknown = true,
			.advice = "redirected frames neither arrived nor were counted as dropped, so this may not be "
				  "the cost of redirecting them",
			.found = "redirected frames (#) neither arrived nor were dropped",
			.consequence = "this may not be the cost of redirecting them",
			.counts = true,
		},
	[QUALITY_STAGE_DROPS] =
		{
			.name = "second-stage-drops",
			.unit = "% of frames",
			.limit = 1,
			.may_be_unknown = true,
			.advice = "the second stage does not keep up, and a frame that is dropped costs other than one "
				  "that goes on; send less (--rate) or give it a CPU of its own",
			.found = "the second stage dropped # % of the frames",
			.consequence = "the cost of a dropped frame differs from that of one that goes on",
		},
	[QUALITY_STAGE_PACE] =
		{
			.name = "second-stage-pace",
			.unit = "% busy",
			.limit = 97,
			.at_least = true,
			.telling = true,
			.advice = "the cost rests on busy time, and without these waits it may differ; give the "
				  "second stage a CPU of its own (--stage-cpu)",
			.found = "the CPU was only # % busy, as it waited for the second stage",
			.consequence = "without these waits the cost may differ",
		},
	[QUALITY_STEAL] =
		{
			.name = "steal",
			.unit = "%",
			.limit = 1,
			.may_be_unknown = true,
			.advice = "other guests took time of this CPU; measure when the host is quiet",
			.found = "other guests took # % of the CPU's time",
			.consequence = "the cost scatters more, and may be too high",
		},
	[QUALITY_FREQUENCY] =
		{
			.name = "frequency",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "the CPU changed its clock; use the performance governor and fix the frequency",
			.found = "the CPU changed its clock by # %",
			.consequence = "the cost changed with it",
		},
	[QUALITY_DRIFT] =
		{
			.name = "drift",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "the cost moves within a block; use a longer warm-up",
			.found = "the cost moved by # % within a block",
			.consequence = "after a longer warm-up the cost may differ",
		},
	[QUALITY_OUTLIERS] =
		{
			.name = "outliers",
			.unit = "% of blocks",
			.limit = 15,
			.may_be_unknown = true,
			.advice = "something disturbs single blocks; they are kept, look at them",
			.found = "# % of the blocks are far from the others",
			.consequence = "they are in the cost, and widen its interval",
		},
	[QUALITY_BLOCKS] =
		{
			.name = "blocks",
			.unit = "blocks",
			.limit = 6,
			.at_least = true,
			.telling = true,
			.advice = "the interval rests on too few blocks; record more",
			.found = "there are too few blocks (#)",
			.consequence = "the interval of the cost is rough",
			.counts = true,
		},
	[QUALITY_ENDED] =
		{
			.name = "ended",
			.unit = "",
			.limit = 0,
			.advice = "the run is not whole; record it again",
			.found = "the recording stopped before its end",
			.consequence = "there are fewer blocks, so the intervals are wider",
		},
	[QUALITY_APART] =
		{
			.name = "apart",
			.unit = "CPUs shared",
			.limit = 0,
			.may_be_unknown = true,
			.advice = "the generator runs on the CPU that is measured; give it one of its own (--gen-cpu)",
			.found = "the generator ran on the CPU that was measured",
			.consequence = "its work may be in the cost, and it slows down what is measured",
		},
	[QUALITY_PAIRS] =
		{
			.name = "pairs",
			.unit = "pairs",
			.limit = 6,
			.at_least = true,
			.telling = true,
			.advice = "the difference rests on too few blocks; record more",
			.found = "there are too few blocks to compare (#)",
			.consequence = "the interval of the difference is rough",
			.counts = true,
		},
	[QUALITY_SYMBOL_BLOCKS] =
		{
			.name = "symbol-blocks",
			.unit = "blocks",
			.limit = 12,
			.at_least = true,
			.advice = "tests of single symbols rest on too few blocks; read them as hints",
			.found = "there are too few blocks (#)",
			.consequence = "read the differences of single facilities as hints",
			.counts = true,
		},
	[QUALITY_BUSY_ALIKE] =
		{
			.name = "busy-alike",
			.unit = "points",
			.limit = 5,
			.may_be_unknown = true,
			.advice = "one CPU paused more than the other, and waking up is in its cost; load both alike "
				  "(--rate)",
			.found = "one CPU was # points busier than the other",
			.consequence = "their difference is no headline",
		},
	[QUALITY_POLLS_ALIKE] =
		{
			.name = "polls-alike",
			.unit = "%",
			.limit = 10,
			.may_be_unknown = true,
			.advice = "the two handle different numbers of packets per poll, which alone changes the cost; "
				  "load both alike",
			.found = "one side found # % more packets in each poll",
			.consequence = "a part of the difference is due to that alone",
		},
	[QUALITY_REFUSED_ALIKE] =
		{
			.name = "refused-alike",
			.unit = "% of frames",
			.limit = 5,
			.may_be_unknown = true,
			.advice = "the receiver's ring refused frames of one more than of the other, and a full ring "
				  "costs both sides; send at a rate that both can take (--rate)",
			.found = "the receiver's full ring refused # % more frames of one side",
			.consequence = "a part of the difference is due to that alone",
		},
	[QUALITY_PLACEMENT_ALIKE] =
		{
			.name = "placement-alike",
			.unit = "times as far",
			.limit = 1.5,
			.may_be_unknown = true,
			.advice = "the CPUs were not equally far apart; pick one placement for both",
			.found = "the CPUs were # times as far apart on one side",
			.consequence = "a part of the difference is due to that alone",
		},
	[QUALITY_SPEED_ALIKE] =
		{
			.name = "speed-alike",
			.unit = "%",
			.limit = 5,
			.may_be_unknown = true,
			.advice = "the same work took the CPU longer on one side, so the machine was slower or it is "
				  "another one; measure both in one run",
			.found = "the same work took # % longer on one side's CPU",
			.consequence = "as much of the difference, or more, is due to that alone",
		},
	[QUALITY_CPUS_ALIKE] =
		{
			.name = "cpus-alike",
			.unit = "CPUs",
			.limit = 0,
			.advice = "the two ran on different numbers of CPUs",
			.found = "the two sides ran on different numbers of CPUs",
			.consequence = "do not compare them",
		},
	[QUALITY_FREQUENCY_ALIKE] =
		{
			.name = "frequency-alike",
			.unit = "%",
			.limit = 2,
			.may_be_unknown = true,
			.advice = "the CPU's clock was not the same for both; fix the frequency",
			.found = "the CPU's clock differed by # %",
			.consequence = "a part of the difference is due to that alone",
		},
	[QUALITY_EVENT_ALIKE] =
		{
			.name = "event-alike",
			.unit = "",
			.limit = 0,
			.advice = "the two rest on different perf events; record both with the same",
			.found = "the two sides were profiled with different events",
			.consequence = "do not compare their facilities",
		},
	[QUALITY_MACHINE_ALIKE] =
		{
			.name = "machine-alike",
			.unit = "",
			.limit = 0,
			.advice = "the runs are of two machines, and what these differ by is in every number; record "
				  "both on one",
			.found = "the two runs are of two machines",
			.consequence = "what the machines differ by is a part of the difference",
		},
	[QUALITY_LOAD_ALIKE] =
		{
			.name = "load-alike",
			.unit = "",
			.limit = 0,
			.advice =
				"the generator does other work in the two runs, so it cannot show how fast the machine "
				"was; record both with the same load",
			.found = "the generator did other work in the two runs",
			.consequence = "a machine that was slower in one of them is a part of the difference",
		},
	[QUALITY_SLABS_ALIKE] =
		{
			.name = "slabs-alike",
			.unit = "",
			.limit = 0,
			.advice = "only one run had slabs of skbs of its own; record both with the same version",
			.found = "only one of the two runs had slabs of skbs of its own",
			.consequence = "a part of the difference may be due to that alone",
		},
	[QUALITY_TRACERS_ALIKE] =
		{
			.name = "tracers-alike",
			.unit = "% of base",
			.limit = 1,
			.may_be_unknown = true,
			.advice = "tracing programs of somebody else cost one side more; stop them, and record again",
			.found = "tracing programs of somebody else cost one side more, by # % of the dearer base",
			.consequence = "as much of the difference is theirs",
		},
	[QUALITY_CLOSURE_ALIKE] =
		{
			.name = "closure-alike",
			.unit = "% of base",
			.limit = 4,
			.may_be_unknown = true,
			.advice = "the differences of functions do not add up to the difference measured, by more "
				  "than profiling explains; do not use them until the gate closure holds for both",
			.found = "the differences of functions miss the difference measured by # % of the dearer base",
			.consequence = "some facilities' differences are wrong by as much in total",
		},
};
