#!/bin/sh
# Cells of a matrix on engines that share work out: make -j, GNU parallel over ssh, Ansible over ssh and Slurm, on two machines,
# which are network namespaces. Of Ansible's and of Slurm's machines one is lost in the middle. Each engine makes the same cells,
# with the same counts of all functions that are exact. By hand, as it takes eight minutes, ansible-core, parallel, slurm-wlm and
# munge: CELLS=1 tests/run tests/rig/cells.sh
. "$(dirname "$0")/../rig/lib.sh"
. "$(dirname "$0")/fleet_lib.sh"
[ -n "${CELLS-}" ] || skip_all "by hand: CELLS=1"
need_root
for tool in make parallel ansible-playbook slurmctld slurmd munged; do command -v $tool >/dev/null || skip_all "no $tool here"; done
a=xza$$ b=xzb$$
fleet_up $a $b
here=$PWD
words="-k 6.1,6.12 -n veth,vmxnet3 -V drop/no-touch@skb"
cells() { in_control xdpzoom exact --cells -o matrix $words; }
within() { mkdir -p "$tmp/$1" && cd "$tmp/$1" || exit 1; } # ENGINE: in a folder of its own
same() { # ENGINE: the same cells as make's, and functions that are exact have the same counts
	for run in $(cd "$tmp/make" && find matrix -name run.json); do
		[ -e "$tmp/$1/$run" ] || { echo "$run is missing"; return; }
		"$X" diff "$tmp/make/${run%/*}:drop/no-touch@skb" "$tmp/$1/${run%/*}" -f json >"$tmp/diff" || return
		jq -r --arg run "$run" '[.symbols[] | select(.exact)] as $exact | if ($exact | length) < 20 then "\($run): \($exact | length) exact functions"
			else $exact[] | select(.change != 0) | "\($run): \(.name) \(.change)" end' "$tmp/diff"
	done
	"$X" exact -q -o "$tmp/$1/matrix" $words >/dev/null && jq '[.. | objects | select(has("instructions"))] | length' "$tmp/$1/matrix/matrix.json"
}

within make
cells | awk '{ print "all: " NR "\n" NR ":\n\t" $0 }' >cells.mk
ok "make -j" in_control make -j2 -f cells.mk
is "... all cells" "$(same make)" 4

within parallel
cells >list
ok "parallel over ssh" in_control parallel -S 192.0.2.11,192.0.2.12 -j 1 --workdir "$PWD" <list
is "... all cells" "$(same parallel)" 4

within ansible
cat >inventory.yml <<END
all:
  vars: {xdpzoom_results: "$PWD", ansible_python_interpreter: $(command -v python3), xdpzoom_kernels: "6.1,6.12", xdpzoom_nics: "veth,vmxnet3", xdpzoom_variants: "drop/no-touch@skb"}
  children: {cells: {hosts: {one: {ansible_host: 192.0.2.11, xdpzoom_cells: "$tmp/cells-one"}, two: {ansible_host: 192.0.2.12, xdpzoom_cells: "$tmp/cells-two"}}}}
END
counts_in() { await sh -c "ip netns pids $1 | xargs ps -o args= -p | grep -q qemu-system"; }
lose_counting() { counts_in $b && lose $b; }
play() { in_control ansible-playbook -i inventory.yml "$here/integrations/ansible/matrix.yml" >play 2>&1; }
lose_counting &
started $!
play
is "Ansible over ssh: a machine is lost, and Ansible ends with a failure" "$(test $? -ne 0; echo $?)" 0
is "... the cells of the other one are here" "$(find matrix -name run.json | grep -c .)" 2
serve $b
find matrix -name run.json | xargs ls -l --time-style=full-iso >before
ok "... again, with both" play
is "... all cells" "$(same ansible)" 4
is "... and those that were here stayed" "$(awk '{ print $NF }' before | xargs ls -l --time-style=full-iso | diff before - | grep -c .)" 0

within slurm
dd if=/dev/urandom of=munge.key bs=64 count=1 status=none && chmod 600 munge.key && mkdir ctl munge && chmod 755 "$tmp" . munge || exit 1
cat >slurm.conf <<END
ClusterName=xdpzoom
SlurmctldHost=ctl(192.0.2.1)
SlurmUser=root
AuthInfo=socket=$PWD/munge/socket
StateSaveLocation=$PWD/ctl
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd-%n.pid
SlurmdSpoolDir=$PWD/spool-%n
SlurmdTimeout=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
NodeName=one NodeAddr=192.0.2.11 CPUs=$(nproc)
NodeName=two NodeAddr=192.0.2.12 CPUs=$(nproc)
PartitionName=cells Nodes=one,two Default=YES State=UP
END
echo CgroupPlugin=cgroup/v1 >cgroup.conf
export SLURM_CONF="$PWD/slurm.conf"
in_background() { # LOG COMMAND...
	log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null &
	started $!
}
in_background munged.log munged -F --force --key-file="$PWD/munge.key" --socket="$PWD/munge/socket" --pid-file="$PWD/munge/pid" --seed-file="$PWD/munge/seed"
await test -S munge/socket
in_background ctl.log ip netns exec xzctl$$ unshare -u sh -c 'hostname ctl; exec slurmctld -D'
for node in "$a one" "$b two"; do
	in_background "${node#* }.log" ip netns exec ${node% *} unshare -u sh -c "hostname ${node#* }; PATH=${X%/*}:\$PATH exec slurmd -D -N ${node#* }"
done
await sh -c "ip netns exec xzctl$$ sinfo -h -t idle -o %D | grep -qx 2"
cells >list
lose_counting &
started $!
ok "Slurm: a node is lost, and the others count its cells" in_control sbatch --wait --cpus-per-task=$(nproc) --array="1-$(wc -l <list)" "$here/integrations/slurm/cells.sh" list
is "... it was lost while it counted" "$(grep -c 'requeue job .* due to failure of node two' ctl.log)" 1
is "... all cells" "$(same slurm)" 4
