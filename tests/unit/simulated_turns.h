/*
 * simulated turns - two variants that take turns on a machine whose speed moves, with samples drawn
 *
 * in:    simulation_begin() has been called
 * out:   make_run(): a run, its turns, and what the machine did; analyse(): its analysis. The caller releases them
 * error: the test fails
 *
 * A run: two variants in Thue-Morse order, 24 rounds of 0.8 s without and 0.8 s with samples, 20 ns and 82 ns of the
 * receiver, and 20 ns of the generator. A turn is 65536 frames. A round scatters by 0.3 % (each program is loaded at
 * another address), the device that a variant is on in this round by 0.2 %, a turn by 6 % (3 % of four), and the
 * generator's part of it by 6 %. The machine's speed moves the generator's part, and with a power k of it the
 * receiver's. Samples come at 700 Hz, 79 and 323 a round, and each hits a row by its part in its turn; the turns they
 * are taken in are 3 % dearer. From round to round the parts of both variants scatter together by 20 %, as memory lies
 * otherwise. Part MEMORY may feel the speed by another power than the others.
 */
#ifndef TESTS_SIMULATED_TURNS_H
#define TESTS_SIMULATED_TURNS_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include "reports/analysis/analysis.h"
#include "tests/unit/unit.h"

#define ROUNDS      24
#define FRAMES      65536
#define STALL_NS    1e7
#define TAIL_NS     1e5
#define ROUND_S     2.5 /* with what is between the stretches */
#define RULER_NS    20
#define RULER_NOISE 0.06
#define PARTS       9
#define RARE        (PARTS - 1) /* and the parts after it */
#define HZ          700.0
#define OVERHEAD    1.03
#define TILT        0.2
#define MEMORY      1 /* the part that may feel the speed otherwise */
#define TURNS_MOST  100000

enum model {
	STEADY,
	TWO_STATES,
	MOSTLY_SLOW,
	UNLIKE,
	DRIFT,
	WALK,
	FAST,
	DRIFTING_STATES,
	ONE_SIDE,
	OTHER_SIDE,
	STALLS,
	TAILS,
	BURSTS,
	SHORT,
	MEMORY_BOUND,
	PLACES,
	LOCK_BOUND, /* no power of the speed as a whole: for shares alone */
	MODELS
};
static const struct {
	const char *name;
	double fast_s, slow_s; /* mean length of both states; slow_s 0: there is one */
	double drift, drift_s; /* standard deviation of the speed, and its memory; of a walk without one, in a second */
	double k[2];           /* 0: 1 */
	double memory;         /* the power of part MEMORY of both; 0: as the others */
	/*
	 * Parts of the turns with a stall, of those that are 1.6 times as dear, and of those that are dearer by 10 us
	 * and more, whatever the variant
	 */
	double noise[2], stalls, bursts, tails;
	double place; /* the cheap variant is dearer by so much at some places in memory, and cheaper at as many */
	int rounds;   /* 0: ROUNDS */
	double widest_ns, like_ns; /* that the half-width may be, on average; of like ones: 0 is as it comes */
} models[MODELS] = {
	[STEADY] = {"a steady machine", .noise = {0.06, 0.06}, .widest_ns = 0.3},
	[TWO_STATES] = {"two speeds, x1.3 to x1.9", 12, 6, .noise = {0.06, 0.06}, .widest_ns = 0.4},
	[MOSTLY_SLOW] = {"slow for three fifths of the time", 8, 12, .noise = {0.06, 0.06}, .widest_ns = 0.5},
	[UNLIKE] = {"two speeds, felt with powers 0.9 and 1.15", 12, 6, .k = {0.9, 1.15}, .noise = {0.06, 0.06},
		    .widest_ns = 0.6},
	[DRIFT] = {"drift, 5 % in 5 s", .drift = 0.05, .drift_s = 5, .noise = {0.06, 0.06}, .widest_ns = 0.4},
	[WALK] = {"a walk, 5 % in a second, powers 1.15 and 0.95", .drift = 0.05, .k = {1.15, 0.95},
		  .noise = {0.06, 0.06}, .widest_ns = 0.5},
	[FAST] = {"drift, 15 % in 0.5 s, powers 1.1 and 1", .drift = 0.15, .drift_s = 0.5, .k = {1.1, 1},
		  .noise = {0.06, 0.06}, .widest_ns = 0.5},
	[DRIFTING_STATES] = {"drift, 2 % in 20 s, and two speeds", 12, 6, 0.02, 20, .noise = {0.06, 0.06},
			     .widest_ns = 0.4},
	[ONE_SIDE] = {"drift, 5 % in 5 s, and one variant that scatters more", .drift = 0.05, .drift_s = 5,
		      .noise = {0.03, 0.2}, .widest_ns = 1},
	[OTHER_SIDE] = {"the cheap variant scatters more, and one turn in 200 is far dearer", .drift = 0.03,
			.drift_s = 5, .noise = {0.2, 0.03}, .stalls = 0.005, .widest_ns = 1},
	[STALLS] = {"one turn in 200 is far dearer, and drift", .drift = 0.03, .drift_s = 5, .noise = {0.06, 0.06},
		    .stalls = 0.005, .widest_ns = 1},
	[TAILS] = {"one turn in ten is dearer by some 100 us, and drift", .drift = 0.1, .drift_s = 1,
		   .noise = {0.06, 0.06}, .tails = 0.1, .widest_ns = 1},
	[BURSTS] = {"one turn in ten is 1.6 times as dear", .noise = {0.02, 0.02}, .bursts = 0.1, .widest_ns = 0.8,
		    .like_ns = 0.12},
	[SHORT] = {"eight rounds of a steady machine", .noise = {0.06, 0.06}, .rounds = 8, .widest_ns = 0.6},
	[MEMORY_BOUND] = {"drift, 10 % in 5 s, and a part that slows with power 2", .drift = 0.1, .drift_s = 5,
			  .memory = 2, .noise = {0.06, 0.06}, .widest_ns = 0.6},
	[PLACES] = {"places in memory that are 9 % dearer for one variant", .place = 0.045, .noise = {0.06, 0.06},
		    .widest_ns = 0.7, .like_ns = 0.12},
	[LOCK_BOUND] = {"drift, 15 % in 5 s, and a part that slows with power 6", .drift = 0.15, .drift_s = 5,
			.memory = 6, .noise = {0.06, 0.06}},
};

static const double part_of[2][PARTS] = {{0.3, 0.22, 0.15, 0.13, 0.1, 0.05, 0.025, 0.02, 0.005}, /* of 20 ns */
					 {0.2, 0.2, 0.1, 0.12, 0.05, 0.15, 0.125, 0.05, 0.005}};

static double mean_part[2][PARTS];
static double simulated_slowness;      /* of the next run, besides what its model does; a logarithm */
static double slowness_of[TURNS_MOST]; /* of each turn of the last run; a logarithm */
static gsl_rng *rng;
static struct facilities *facilities;

struct machine {
	enum model model;
	double level[2];
	double now_s, left_s, ou, factor; /* left_s: of the state that holds now */
	bool slow;
	double tilt[ROUNDS][PARTS];
	bool dear[2];             /* places in this rotation */
	size_t first[ROUNDS + 1]; /* turn of each round */
};

static inline void advance(struct machine *m, double seconds)
{
	double drift = models[m->model].drift, memory = models[m->model].drift_s, keep;

	m->now_s += seconds;
	m->left_s -= seconds;
	while (m->left_s < 0 && models[m->model].slow_s > 0) {
		m->slow = !m->slow;
		m->left_s += gsl_ran_exponential(rng, m->slow ? models[m->model].slow_s : models[m->model].fast_s);
	}
	if (drift > 0 && memory > 0) {
		keep = exp(-seconds / memory);
		m->ou = keep * m->ou + drift * sqrt(1 - keep * keep) * gsl_ran_ugaussian(rng);
	} else if (drift > 0) {
		m->ou += drift * sqrt(seconds) * gsl_ran_ugaussian(rng);
	}
}

static inline double power_of(const struct machine *m, size_t variant)
{
	double k = models[m->model].k[m->level[0] == m->level[1] ? 0 : variant]; /* like ones feel it alike */

	return k > 0 ? k : 1;
}

static inline const double *parts_of(const struct machine *m, size_t variant)
{
	return part_of[m->level[variant] > 20];
}

/* How many times as dear part MEMORY is as the other parts, where the machine is so slow. */
static inline double memory_factor(const struct machine *m, size_t variant, double slowness)
{
	return models[m->model].memory > 0 ? exp((models[m->model].memory - power_of(m, variant)) * slowness) : 1;
}

static inline double level_at(const struct machine *m, size_t variant, double slowness)
{
	return m->level[variant] * (1 + parts_of(m, variant)[MEMORY] * (memory_factor(m, variant, slowness) - 1));
}

/* Mean cost of a packet of the variant where the generator takes so much for a frame. */
static inline double cost_at(const struct machine *m, size_t variant, double ruler_ns)
{
	double tail_ns = models[m->model].tails * TAIL_NS / FRAMES, slowness = log(ruler_ns / RULER_NS);

	return level_at(m, variant, slowness) * exp(power_of(m, variant) * slowness) *
		       (1 + 0.6 * models[m->model].bursts) +
	       tail_ns;
}

static inline void add_turn(struct run_turns *turns, struct machine *m, size_t v, int round, bool profile,
			    double round_factor)
{
	double slowness = simulated_slowness + m->ou + (m->slow ? log(m->factor) : 0),
	       noise = models[m->model].noise[v];
	double own = level_at(m, v, slowness) * round_factor * exp(power_of(m, v) * slowness) *
		     (1 + noise * gsl_ran_ugaussian(rng));
	double rest = RULER_NS * exp(slowness + RULER_NOISE * gsl_ran_ugaussian(rng)) * (profile ? OVERHEAD : 1);
	struct run_turn t = {
		.start_ns = (uint64_t)(m->now_s * 1e9),
		.packets = FRAMES,
		.round = (uint32_t)round,
		.variant = (uint16_t)v,
		.device = (uint8_t)((v + (size_t)round) % 2),
		.use = profile ? TURN_PROFILE : TURN_BASE,
	};

	own *= gsl_rng_uniform(rng) < models[m->model].bursts ? 1.6 : 1;
	if (gsl_rng_uniform(rng) < models[m->model].stalls)
		own += STALL_NS / FRAMES * (1 + gsl_ran_exponential(rng, 1));
	if (gsl_rng_uniform(rng) < models[m->model].tails)
		own += gsl_ran_exponential(rng, TAIL_NS) / FRAMES;
	own *= profile ? OVERHEAD : 1;
	t.own_ns = (uint32_t)(own * FRAMES);
	t.wall_ns = (uint32_t)((own + rest) * FRAMES);
	assert_true(turns->n < TURNS_MOST);
	slowness_of[turns->n] = slowness;
	assert_int_equal(turns_add(turns, &t, 1), 0);
	advance(m, t.wall_ns / 1e9 + 1e-6);
}

static inline void add_window(struct run *r, const struct run_turns *turns, size_t from, size_t variant, int round,
			      bool profile)
{
	struct run_block *b = &r->blocks[(size_t)round * 2 + variant];
	struct run_window *w = run_add_window(b);
	double own = 0, packets = 0;

	w->kind = profile ? RUN_PROFILE : RUN_BASE;
	for (size_t i = from; i < turns->n; i++) {
		const struct run_turn *t = &turns->list[i];

		if (t->variant != variant || t->round != (uint32_t)round || (t->use == TURN_PROFILE) != profile)
			continue;
		if (!w->from_ns)
			w->from_ns = t->start_ns;
		w->to_ns = t->start_ns + t->wall_ns;
		own += t->own_ns;
		packets += t->packets;
	}
	w->own_ns = w->busy_ns = own;
	run_add_cpu(w, 1)->verdicts[RUN_DROP] = (uint64_t)packets;
}

static inline void add_round(struct run *r, struct run_turns *turns, struct machine *m, int round)
{
	double begin_s = m->now_s, factor[2];
	unsigned int place = 0;
	size_t from = turns->n;

	m->first[round] = from;
	for (size_t i = 0; i < 2 && round % 2 == 0; i++)
		m->dear[i] = gsl_rng_uniform(rng) < 0.5;
	for (size_t v = 0; v < 2; v++) {
		struct run_block *b = run_add_block(r);

		factor[v] = exp(0.003 * gsl_ran_ugaussian(rng)) * ((v + (size_t)round) % 2 ? 1.001 : 0.999);
		if (m->level[v] <= 20)
			factor[v] *= 1 + models[m->model].place * (m->dear[(v + (size_t)round) % 2] ? 1 : -1);
		b->index = (int)r->nblocks - 1;
		b->round = round;
		b->variant = v;
		b->mode_found = RUN_MODE_NATIVE;
	}
	for (int half = 0; half < 2; half++) {
		bool profile = half != round % 2;
		double end_s = m->now_s + 0.8;

		while (m->now_s < end_s || place % 4) {
			add_turn(turns, m, (size_t)__builtin_popcount(place) % 2, round, profile,
				 factor[__builtin_popcount(place) % 2]);
			place++;
		}
	}
	m->first[round + 1] = turns->n;
	for (size_t i = 0; i < 4; i++)
		add_window(r, turns, from, i % 2, round, i > 1);
	advance(m, fmax(0, begin_s + ROUND_S - m->now_s));
}

/* What part of the samples each row has in a round. */
static inline void tilted(double *parts, const double *part, const double *tilt)
{
	double sum = 0;

	for (size_t i = 0; i < PARTS; i++)
		sum += part[i] * tilt[i];
	for (size_t i = 0; i < PARTS; i++)
		parts[i] = part[i] * tilt[i] / sum;
}

static inline void draw_tilt(double *tilt)
{
	for (size_t i = 0; i < PARTS; i++)
		tilt[i] = exp(TILT * gsl_ran_ugaussian(rng));
}

/* The parts that many rounds have on average. */
static inline void find_mean_parts(void)
{
	const int n = 20000;

	for (int i = 0; i < 2 * n; i++) {
		double tilt[PARTS], part[PARTS];

		draw_tilt(tilt);
		tilted(part, part_of[i % 2], tilt);
		for (size_t k = 0; k < PARTS; k++)
			mean_part[i % 2][k] += part[k] / n;
	}
}

static inline void make_run(struct run *r, struct run_turns *turns, struct machine *m, enum model model, bool same)
{
	*m = (struct machine){.model = model, .level = {20, same ? 20 : 82}, .now_s = 1000};
	m->factor = 1.3 + 0.6 * gsl_rng_uniform(rng);
	m->ou = models[model].drift_s > 0 ? models[model].drift * gsl_ran_ugaussian(rng) : 0;
	m->slow = gsl_rng_uniform(rng) * (models[model].fast_s + models[model].slow_s) < models[model].slow_s;
	m->left_s = models[model].slow_s > 0
			    ? gsl_ran_exponential(rng, m->slow ? models[model].slow_s : models[model].fast_s)
			    : 0;
	for (size_t i = 0; i < ROUNDS; i++)
		draw_tilt(m->tilt[i]);
	run_init(r);
	*turns = (struct run_turns){};
	strcpy(r->event, "cpu-clock");
	strcpy(r->ended, "complete");
	r->view = RUN_VIEW_WORK;
	r->rx_cpus[r->nrx_cpus++] = 1;
	for (size_t v = 0; v < 2; v++)
		snprintf(run_add_variant(r)->id, 64, "variant %zu", v);
	for (int round = 0; round < (models[model].rounds ? models[model].rounds : ROUNDS); round++)
		add_round(r, turns, m, round);
}

/* The samples of a turn: it has the one before or after its last period, or not. */
static inline void draw_turn(struct share *hits, const struct machine *m, const struct run_turn *t, double slowness,
			     double weight)
{
	unsigned int n = (unsigned int)(t->own_ns * HZ / 1e9 + gsl_rng_uniform(rng));
	double part[PARTS], sum = 0;

	tilted(part, parts_of(m, t->variant), m->tilt[t->round]);
	part[MEMORY] *= memory_factor(m, t->variant, slowness);
	for (size_t i = 0; i < PARTS; i++)
		sum += part[i];
	for (; n; n--) {
		double at = sum * gsl_rng_uniform(rng);
		size_t i = 0;

		for (; i < PARTS - 1 && at >= part[i]; i++)
			at -= part[i];
		hits[i].samples++;
		hits[i].weight += weight;
	}
}

/* Of the turns that are kept. */
static inline void draw_samples(struct analysis_block *b, struct shares *s, size_t number, const struct machine *m,
				const struct run_turns *turns, const struct speed *speed)
{
	static const char *const names[PARTS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
	struct share hits[PARTS] = {0};

	if (!(b->profiled_packets > 0))
		return;
	for (size_t i = m->first[b->block->round]; i < m->first[b->block->round + 1]; i++) {
		const struct run_turn *t = &turns->list[i];

		if (t->variant == b->block->variant && t->use == TURN_PROFILE &&
		    !speed_sets_aside(speed, t->start_ns, t->start_ns + t->wall_ns))
			draw_turn(hits, m, t, slowness_of[i],
				  1e9 / HZ / (speed->known ? speed_factor(speed, t->variant, t->start_ns) : 1));
	}
	for (size_t i = 0; i < PARTS; i++) {
		if (!hits[i].samples)
			continue;
		b->samples += hits[i].samples;
		b->cost_weight += hits[i].weight;
		hits[i].name = strdup(names[i]);
		hits[i].dso = strdup("");
		hits[i].facility = 2 + (unsigned int)i % 8;
		hits[i].block = number;
		hits[i].children_weight = -1;
		s->list[s->n++] = hits[i];
	}
	b->ns_per_weight = 1;
	b->sum_ns = b->cost_weight / b->profiled_packets;
}

static inline void analyse(struct analysis *a, const struct run *r, const struct run_turns *turns,
			   const struct machine *m)
{
	struct block_source source = {.run = r, .dir = "", .facilities = facilities};
	struct shares shares[2] = {0};

	memset(a, 0, sizeof(*a));
	a->run = r;
	a->nvariants = 2;
	a->variants = calloc(2, sizeof(*a->variants));
	assert_int_equal(placement_build(&a->placement, r, PLACEMENT_AUTO, 0, NULL), 0);
	assert_int_equal(speed_judge(&a->speed, turns, 2, SPEED_GENERATOR), 0);
	source.speed = &a->speed;
	source.turns = a->speed.known ? turns : NULL;
	for (size_t v = 0; v < 2; v++) {
		struct analysis_variant *variant = &a->variants[v];

		analysis_variant_init(variant, a, &r->variants[v]);
		variant->takes_turns = true;
		if (a->speed.variants) {
			variant->ruler_ns = a->speed.variants[v].ruler_ns;
			variant->slope = a->speed.variants[v].k;
			variant->slope_half = a->speed.variants[v].k_half;
		}
		variant->blocks = calloc(ROUNDS, sizeof(*variant->blocks));
		shares[v].list = calloc(ROUNDS * PARTS, sizeof(*shares[v].list));
		for (size_t i = 0; 2 * i < r->nblocks; i++) {
			struct analysis_block *b = &variant->blocks[variant->nblocks];

			analysis_block_init(b, &r->blocks[2 * i + v]);
			assert_int_equal(block_measure(b, &source, variant->nblocks, &shares[v], NULL), 0);
			draw_samples(b, &shares[v], variant->nblocks++, m, turns, &a->speed);
		}
	}
	assert_int_equal(analysis_finish(a, shares, facilities), 0);
	for (size_t v = 0; v < 2; v++) {
		assert_int_equal(variant_add_turns(&a->variants[v], turns), 0);
		shares_release(&shares[v]);
	}
}

/* Returns 0, or -1: no memory, or facilities that can't be read. */
static inline int simulation_begin(void)
{
	struct diag d = {""};

	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng || facilities_read(&facilities, "tests/synthetic.conf", &d)) {
		fprintf(stderr, "%s\n", d.text);
		return -1;
	}
	find_mean_parts();
	return 0;
}

static inline void simulation_end(void)
{
	facilities_free(facilities);
	gsl_rng_free(rng);
}

#endif
