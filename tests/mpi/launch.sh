# launch RANKS COMMAND...: on ranks of this machine, more than it has cores if need be. Without asperity-mpi the test is skipped.
if [ -z "$MPI_PARTS" ]; then
  echo 'skipped: built without asperity-mpi (cmake -DASPERITY_MPI=ON, or ./quickstart test --mpi)'
  exit 77
fi
command -v mpirun >/dev/null || { echo 'skipped: no mpirun here (openmpi-bin)'; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_orte_abort_print_stack=0
launch() {
  local ranks=$1
  shift
  mpirun -n "$ranks" "$@" </dev/null
}
