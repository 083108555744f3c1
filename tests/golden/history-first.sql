-- A history as the first version of the format made it, with one run of two variants. Later versions added the table
-- event and more columns of variant. Tests make a file of it: it has to open, to compare, and to take new runs.
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL UNIQUE, name TEXT UNIQUE,
 added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, started TEXT, ended TEXT, version TEXT, event TEXT, kernel TEXT,
 device TEXT, driver TEXT, cpu_model TEXT, environment_json TEXT, device_json TEXT, load_json TEXT, command_json TEXT);
CREATE TABLE block (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL, block INTEGER, round INTEGER,
 fate INTEGER, placement_before_ns REAL, placement_after_ns REAL, base_ns REAL, pps REAL, samples INTEGER,
 outlier INTEGER);
CREATE TABLE cost (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
 dso TEXT, facility TEXT, samples INTEGER, self_pct REAL, self_ns REAL, low_ns REAL, high_ns REAL, half_ns REAL,
 children_ns REAL, error_ns REAL, block_ns_json TEXT);
CREATE TABLE gate (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL, gate TEXT NOT NULL, unit TEXT,
 value REAL, bar REAL, at_least INTEGER, ok INTEGER, tell INTEGER, note TEXT);
CREATE INDEX block_of_run ON block (run, variant);
CREATE INDEX cost_of_run ON cost (run, variant);
CREATE INDEX cost_by_name ON cost (name);
CREATE INDEX gate_of_run ON gate (run, variant);
CREATE TABLE variant (run INTEGER NOT NULL REFERENCES run, variant TEXT NOT NULL, action TEXT, operation TEXT,
 mode TEXT, plant_ns REAL, samples INTEGER, cpus INTEGER, busy_estimated INTEGER, blocks_used INTEGER,
 gates_failed INTEGER, pps REAL, packets REAL, base_ns REAL, half_ns REAL, base_by_rate_ns REAL, base_by_busy_ns REAL,
 busy_pct REAL, taken_out_ns REAL, overhead_pct REAL, packets_per_poll REAL, freq_khz REAL, steal_pct REAL,
 drift_pct REAL, design_effect REAL, n_eff REAL, unseen_max_ns REAL, unattributed_ns REAL, closure_ns REAL,
 placement_ns REAL, PRIMARY KEY (run, variant));
PRAGMA application_id = 2021289839;
PRAGMA user_version = 1;
INSERT INTO run VALUES
 (1, '2026-01-02T03:04:05Z 0 1000000000000', NULL, '2026-11-22 21:23:09', '2026-01-02T03:04:05Z', 'interrupted', '0.1.0', 'cpu-clock', '6.18.0', 'veth0', 'veth', 'Synthetic CPU', '{"kernel":"6.18.0","cpu_model":"Synthetic CPU","cpus":2}', '{"name":"veth0","driver":"veth"}', '{"size_bytes":64}', '["xdpzoom","record","veth0"]');
INSERT INTO block VALUES
 (1, 'drop/no-touch@native', 0, 0, 0, 50, 50, 79.48001, 7549068, 120, 0),
 (1, 'drop/no-touch@native', 5, 1, 0, 51, 51, 80.40003, 7462684, 120, 0),
 (1, 'drop/no-touch@native', 6, 2, 0, 52, 50, 79.72002, 7526340, 120, 0),
 (1, 'drop/no-touch@skb', 1, 0, 0, 50, 50, 377.5304, 1589276, 120, 0),
 (1, 'drop/no-touch@skb', 4, 1, 0, 51, 51, 381.901, 1571088, 120, 0),
 (1, 'drop/no-touch@skb', 7, 2, 0, 52, 50, 378.6703, 1584492, 120, 0);
INSERT INTO variant VALUES
 (1, 'drop/no-touch@native', 'drop', 'no-touch', 'native', 0, 360, 1, 0, 3, 3, 7512697, 1.126905e+07, 79.86669, 1.185485, 133.1111, 79.86669, 60, 0, 3.999992, 64, NULL, 0, 0, 1, 360, 0.6655557, 0, 0, 50.66667),
 (1, 'drop/no-touch@skb', 'drop', 'no-touch', 'skb', 0, 360, 1, 0, 3, 3, 1581619, 2372428, 379.3672, 5.631781, 632.2787, 379.3672, 60, 0, 4.000034, 64, NULL, 0, 0, 1, 360, 3.161393, 0, 0, 50.66667);
INSERT INTO cost VALUES
 (1, 'drop/no-touch@native', 'facility', 'driver RX', '', 'driver RX', 234, 65, 51.91335, 47.79779, 55.7807, 4.115558, NULL, 2.015701, '[51.662,52.26,51.818]'),
 (1, 'drop/no-touch@native', 'facility', 'page recycling', '', 'page recycling', 94, 26.10977, 20.85301, 17.43024, 24.67719, 3.824187, NULL, 1.850282, '[21.195,20.77,20.594]'),
 (1, 'drop/no-touch@native', 'facility', 'NAPI/softirq', '', 'NAPI/softirq', 17, 4.723567, 3.772557, 2.370907, 5.937386, 2.16483, NULL, 0.8930758, '[3.3117,4.02,3.986]'),
 (1, 'drop/no-touch@native', 'facility', 'BPF program', '', 'BPF program', 15, 4.166667, 3.327779, 2.028522, 5.399652, 2.071874, NULL, 0.841216, '[3.3117,3.35,3.3217]'),
 (1, 'drop/no-touch@native', 'symbol', 'veth_xdp_rcv.constprop.0', '[kernel.kallsyms]', 'driver RX', 137, 38.05607, 30.39412, 26.483, 34.50539, 4.111272, 76.09413, 2.046429, '[30.467,30.82,29.895]'),
 (1, 'drop/no-touch@native', 'symbol', 'veth_xdp_rcv_one', '[kernel.kallsyms]', 'driver RX', 97, 26.94393, 21.51923, 18.05275, 25.37306, 3.853828, 45.70001, 1.869028, '[21.195,21.44,21.923]'),
 (1, 'drop/no-touch@native', 'symbol', 'page_pool_put_unrefed_netmem', '[kernel.kallsyms]', 'page recycling', 52, 14.4463, 11.53778, 8.931352, 14.74276, 3.20498, 11.53778, 1.480366, '[11.26,12.06,11.294]'),
 (1, 'drop/no-touch@native', 'symbol', 'xdp_return_frame', '[kernel.kallsyms]', 'page recycling', 42, 11.66347, 9.315225, 6.980476, 12.29562, 2.980396, 20.85301, 1.351516, '[9.935,8.71,9.3007]'),
 (1, 'drop/no-touch@native', 'symbol', '__napi_poll', '[kernel.kallsyms]', 'NAPI/softirq', 17, 4.723567, 3.772557, 2.370907, 5.937386, 2.16483, 79.86669, 0.8930758, '[3.3117,4.02,3.986]'),
 (1, 'drop/no-touch@native', 'symbol', 'bpf_prog_6deef7357e7b4530_xdp_drop', 'bpf', 'BPF program', 15, 4.166667, 3.327779, 2.028522, 5.399652, 2.071874, 3.327779, 0.841216, '[3.3117,3.35,3.3217]'),
 (1, 'drop/no-touch@skb', 'facility', 'skb allocation', '', 'skb allocation', 86, 23.8926, 90.64069, 74.97312, 108.3928, 17.75215, NULL, 8.531897, '[88.09,95.475,88.356]'),
 (1, 'drop/no-touch@skb', 'facility', 'skb free', '', 'skb free', 76, 21.11297, 80.09567, 65.25448, 97.2445, 17.14883, NULL, 8.1646, '[78.652,82.745,78.89]'),
 (1, 'drop/no-touch@skb', 'facility', 'skb clearing', '', 'skb clearing', 59, 16.38703, 62.16703, 48.98924, 78.03198, 15.86495, NULL, 7.404195, '[62.922,60.468,63.112]'),
 (1, 'drop/no-touch@skb', 'facility', 'GRO', '', 'GRO', 43, 11.9463, 45.32034, 34.09005, 59.59472, 14.27438, NULL, 6.486722, '[44.045,47.738,44.178]'),
 (1, 'drop/no-touch@skb', 'facility', 'driver RX', '', 'driver RX', 31, 8.610601, 32.6658, 23.25121, 45.39273, 12.72694, NULL, 5.609974, '[31.461,31.825,34.711]'),
 (1, 'drop/no-touch@skb', 'facility', 'stack entry', '', 'stack entry', 29, 8.0537, 30.5531, 21.48204, 42.9813, 12.42821, NULL, 5.441954, '[31.461,28.643,31.556]'),
 (1, 'drop/no-touch@skb', 'facility', 'generic XDP', '', 'generic XDP', 28, 7.777267, 29.5044, 20.60909, 41.77911, 12.2747, NULL, 5.35574, '[28.315,28.643,31.556]'),
 (1, 'drop/no-touch@skb', 'facility', 'NAPI/softirq', '', 'NAPI/softirq', 5, 1.389399, 5.270925, 2.256133, 12.17922, 6.908298, NULL, 2.340437, '[6.2922,6.365,3.1556]'),
 (1, 'drop/no-touch@skb', 'facility', 'BPF program', '', 'BPF program', 3, 0.8301332, 3.149253, 1.069966, 9.167077, 6.017824, NULL, 1.814179, '[6.2922,0.0,3.1556]'),
 (1, 'drop/no-touch@skb', 'symbol', 'memset_orig', '[kernel.kallsyms]', 'skb clearing', 59, 16.38703, 62.16703, 48.98924, 78.03198, 15.86495, 62.16703, 7.404195, '[62.922,60.468,63.112]'),
 (1, 'drop/no-touch@skb', 'symbol', 'page_pool_put_unrefed_netmem', '[kernel.kallsyms]', 'skb free', 54, 14.99917, 56.90191, 44.28645, 72.31606, 15.41415, 56.90191, 7.141967, '[59.776,57.285,53.645]'),
 (1, 'drop/no-touch@skb', 'symbol', 'kmem_cache_alloc_bulk_noprof', '[kernel.kallsyms]', 'skb allocation', 50, 13.8926, 52.70397, 40.56532, 67.73023, 15.02626, 52.70397, 6.917842, '[50.337,57.285,50.489]'),
 (1, 'drop/no-touch@skb', 'symbol', 'dev_gro_receive', '[kernel.kallsyms]', 'GRO', 43, 11.9463, 45.32034, 34.09005, 59.59472, 14.27438, 45.32034, 6.486722, '[44.045,47.738,44.178]'),
 (1, 'drop/no-touch@skb', 'symbol', '__build_skb_around', '[kernel.kallsyms]', 'skb allocation', 36, 10, 37.93672, 27.71983, 51.3542, 13.41748, 100.1038, 5.99975, '[37.753,38.19,37.867]'),
 (1, 'drop/no-touch@skb', 'symbol', 'veth_xdp_rcv.constprop.0', '[kernel.kallsyms]', 'driver RX', 31, 8.610601, 32.6658, 23.25121, 45.39273, 12.72694, 374.0963, 5.609974, '[31.461,31.825,34.711]'),
 (1, 'drop/no-touch@skb', 'symbol', '__netif_receive_skb_core.constprop.0', '[kernel.kallsyms]', 'stack entry', 29, 8.0537, 30.5531, 21.48204, 42.9813, 12.42821, 143.3024, 5.441954, '[31.461,28.643,31.556]'),
 (1, 'drop/no-touch@skb', 'symbol', 'do_xdp_generic.part.0', '[kernel.kallsyms]', 'generic XDP', 28, 7.777267, 29.5044, 20.60909, 41.77911, 12.2747, 29.5044, 5.35574, '[28.315,28.643,31.556]'),
 (1, 'drop/no-touch@skb', 'symbol', 'kmem_cache_free', '[kernel.kallsyms]', 'skb free', 22, 6.113801, 23.19376, 15.44076, 34.45999, 11.26623, 23.19376, 4.790994, '[18.877,25.46,25.245]'),
 (1, 'drop/no-touch@skb', 'symbol', '__napi_poll', '[kernel.kallsyms]', 'NAPI/softirq', 5, 1.389399, 5.270925, 2.256133, 12.17922, 6.908298, 379.3672, 2.340437, '[6.2922,6.365,3.1556]'),
 (1, 'drop/no-touch@skb', 'symbol', 'bpf_prog_19a6feab3d5cb0e1_xdp_drop', 'bpf', 'BPF program', 3, 0.8301332, 3.149253, 1.069966, 9.167077, 6.017824, 3.149253, 1.814179, '[6.2922,0.0,3.1556]');
INSERT INTO gate VALUES
 (1, 'drop/no-touch@native', 'mode', 'blocks', 0, 0, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'saturation', '% busy', 60, 97, 1, 0, 1, 'the kernel''s busy time holds waits after wakeups, and so does the base; give the generator more load; until then the cost rests on busy time and on smaller polls'),
 (1, 'drop/no-touch@native', 'rate', '%', NULL, 2, 0, 1, 0, 'the CPU is not busy enough to tell a cost from the rate'),
 (1, 'drop/no-touch@native', 'placement', '% of blocks alike', 100, 100, 1, 1, 0, ''),
 (1, 'drop/no-touch@native', 'cpus', 'CPUs', 0, 0, 0, 1, 0, '1 of 1'),
 (1, 'drop/no-touch@native', 'overhead', '%', 3.999992, 2, 0, 0, 0, '± 0.0 %; profiling slows the path down; lower the sampling rate'),
 (1, 'drop/no-touch@native', 'lost-samples', '%', 0, 1, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'sampled-busy', '%', 0.75564, 2, 0, 1, 0, 'samples stand for 100.8 % of busy time'),
 (1, 'drop/no-touch@native', 'conservation', 'packets', 0, 0, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'stray', '% of packets', 0, 0.1, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'steal', '%', 0, 1, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'frequency', '%', NULL, 2, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'drift', '%', 0, 2, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'outliers', '% of blocks', NULL, 15, 0, 1, 0, ''),
 (1, 'drop/no-touch@native', 'blocks', 'blocks', 3, 6, 1, 0, 0, 'the interval rests on too few blocks; record more'),
 (1, 'drop/no-touch@skb', 'mode', 'blocks', 0, 0, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'saturation', '% busy', 60, 97, 1, 0, 1, 'the kernel''s busy time holds waits after wakeups, and so does the base; give the generator more load; until then the cost rests on busy time and on smaller polls'),
 (1, 'drop/no-touch@skb', 'rate', '%', NULL, 2, 0, 1, 0, 'the CPU is not busy enough to tell a cost from the rate'),
 (1, 'drop/no-touch@skb', 'placement', '% of blocks alike', 100, 100, 1, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'cpus', 'CPUs', 0, 0, 0, 1, 0, '1 of 1'),
 (1, 'drop/no-touch@skb', 'overhead', '%', 4.000034, 2, 0, 0, 0, '± 0.0 %; profiling slows the path down; lower the sampling rate'),
 (1, 'drop/no-touch@skb', 'lost-samples', '%', 0, 1, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'sampled-busy', '%', 0.75564, 2, 0, 1, 0, 'samples stand for 100.8 % of busy time'),
 (1, 'drop/no-touch@skb', 'conservation', 'packets', 0, 0, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'stray', '% of packets', 0, 0.1, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'steal', '%', 0, 1, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'frequency', '%', NULL, 2, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'drift', '%', 0, 2, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'outliers', '% of blocks', NULL, 15, 0, 1, 0, ''),
 (1, 'drop/no-touch@skb', 'blocks', 'blocks', 3, 6, 1, 0, 0, 'the interval rests on too few blocks; record more'),
 (1, '', 'ended', '', 1, 0, 0, 0, 0, 'interrupted; the run is not whole; record it again'),
 (1, '', 'apart', 'CPUs shared', NULL, 0, 0, 1, 0, '');
COMMIT;
