#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts cells of a matrix as an array of Slurm's jobs. A cell whose node is lost is counted by another one. In a folder that all
# nodes share:
#   xdpzoom exact --cells -o matrix -k 6.1,6.12 -n veth,vmxnet3 >cells
#   sbatch --wait --array="1-$(wc -l <cells)" /usr/share/xdpzoom/slurm/cells.sh cells
#   xdpzoom exact -o matrix -k 6.1,6.12 -n veth,vmxnet3
#SBATCH --job-name=xdpzoom-cells
#SBATCH --requeue
#SBATCH --cpus-per-task=1
#SBATCH --output=cell-%a.log
#SBATCH --open-mode=append
cell=$(sed -n "${SLURM_ARRAY_TASK_ID:-0}p" "${1:?usage: sbatch --array=1-NUMBER cells.sh FILE}") || exit 1
[ -n "$cell" ] || { echo "cells.sh: $1 has no line ${SLURM_ARRAY_TASK_ID-}" >&2; exit 2; }
exec sh -c "$cell"
