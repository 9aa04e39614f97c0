# cluster/slurm: a study of 200 points as an array job of Slurm, on a cluster of its own on this machine. The controller is
# killed midway and loses the job; submitted again, every point has been run once.
set -u
for tool in munged slurmctld slurmd sbatch squeue; do
  command -v $tool >/dev/null || [ -x /usr/sbin/$tool ] || { echo "skipped: $tool is missing (Debian: slurm-wlm munge)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo 'skipped: slurmd needs root'; exit 77; }
PATH=$PATH:/usr/sbin
rm -rf "$WORK"
mkdir -p "$WORK/state" "$WORK/spool" "$WORK/munge"
cd "$WORK" || exit 1
folder=$(mktemp -d /tmp/slurm-test.XXXXXX) # a short path for sockets
chmod 755 "$folder"
controller='' node='' munge=''
finish() {
  kill $controller $node $munge 2>/dev/null
  rm -rf "$folder"
}
trap finish EXIT

fail() {
  echo "$*"
  tail -5 ./*.log 2>/dev/null
  exit 1
}

head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
munged --foreground --force --key-file "$WORK/munge.key" --socket "$folder/munge.socket" --pid-file "$folder/munge.pid" \
  --log-file "$WORK/munge.log" --seed-file "$WORK/munge.seed" >munged.log 2>&1 &
munge=$!
host=$(hostname -s)
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$WORK/slurmctld.log
SlurmdLogFile=$WORK/slurmd.log
StateSaveLocation=$WORK/state
SlurmdSpoolDir=$WORK/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
END
export SLURM_CONF=$WORK/slurm.conf
cat >ball.json <<'END'
{ "parameters": { "v": { "value": 1, "range": [0, 95] } },
  "bodies": [ { "name": "ball", "mass": 1, "velocity": ["v", 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] } ],
  "run": { "dt": 0.01, "until": 0.1 } }
END
echo '{"scene": "ball.json", "parameters": {"v": {"range": [0, 99.5], "count": 200}}, "outputs": {"x": "ball.x"}}' >study.json

start_controller() { # start_controller FLAGS: and wait until it answers
  slurmctld -D -f "$SLURM_CONF" "$@" >>controller.log 2>&1 &
  controller=$!
  for _ in $(seq 100); do
    squeue -h >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail 'slurmctld does not answer'
}
rows() { find study.sweep/rows -name '*.json' 2>/dev/null | wc -l; }

for _ in $(seq 50); do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
start_controller -c
slurmd -D -f "$SLURM_CONF" -N "$host" >node.log 2>&1 &
node=$!
"$ASPERITY" sweep --slurm --chunk 1 --quiet study.json || fail 'sweep --slurm'
sbatch --parsable study.sweep/slurm.sh || fail 'sbatch'
for _ in $(seq 1200); do [ "$(rows)" -ge 60 ] && break; sleep 0.1; done
[ "$(rows)" -ge 60 ] || fail "only $(rows) rows"
kill -9 $controller
wait $controller 2>/dev/null
find study.sweep/rows -name '*.json' -exec md5sum {} + >seen
echo "controller killed with $(wc -l <seen) of 200 rows"
[ "$(wc -l <seen)" -lt 200 ] || fail 'all rows were there before the kill'
start_controller -c # it has forgotten the job
sbatch --parsable study.sweep/slurm.sh || fail 'sbatch'
for _ in $(seq 2400); do [ "$(rows)" -ge 200 ] && [ -z "$(squeue -h)" ] && break; sleep 0.1; done
"$ASPERITY" sweep status --json study.json >status
[ "$(rows)" -eq 200 ] || fail "$(rows) rows"
md5sum --quiet -c seen || fail 'a row was written again'
[ -z "$(find study.sweep/rows -name '*.part')" ] || fail 'half a row'
[ "$("$JSON_QUERY" done <status)" = 191 ] && [ "$("$JSON_QUERY" failed <status)" = 9 ] || fail "$(cut -c1-300 status)"
echo '200 points, each once: 191 done, 9 failed and kept'
