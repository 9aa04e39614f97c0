/* What every command of the program shares: its description, the session it runs in, exit codes, error reports.
 *
 * A command is one file with one `const Command`, and one row of the table in main.c. It reads its arguments through
 * arguments.h, works through the public headers of the library alone, and returns an exit code.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "asperity/base.h"

/* Exit codes of every command. An interrupted command ends with 128 + the number of the signal. */
typedef enum ExitCode {
  EXIT_DONE = 0,   /* done, certified and resolved */
  EXIT_MISSED = 1, /* finished, but something missed its tolerance */
  EXIT_USAGE = 2,  /* bad input or usage */
  EXIT_FAILED = 3  /* internal failure, or the system failed: memory, disk */
} ExitCode;

typedef struct Command Command;

/* One call of the program. */
typedef struct Session {
  const Command *command;
  AspContext *context;
  bool json;             /* one JSON object on stdout */
  bool quiet;            /* no progress, no summary */
  const AspRanks *ranks; /* processes that run the same command and share its work (asperity-mpi); NULL: none */
} Session;

struct Command {
  const char *name;
  const char *arguments; /* usage line after the name: "SCENE.json" */
  const char *summary;   /* one line, for the list of commands */
  const char *details;   /* for --help: what it does and what it prints */
  const char *examples;  /* for --help: lines that work when typed, with what they do */
  int (*run)(Session *session, int count, char **words);
};

extern const Command command_run;
extern const Command command_validate;
extern const Command command_info;
extern const Command command_import;
extern const Command command_solve;
extern const Command command_convert;
extern const Command command_report;
extern const Command command_view;
extern const Command command_playground;
extern const Command command_bench;
extern const Command command_sweep;
extern const Command command_compare;
extern const Command command_converge;
extern const Command command_reproduce;
extern const Command command_analyze;

/* Report an error on stderr (and as {"error": ...} on stdout with --json); returns `code`. */
int session_fail(const Session *session, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with the message that the library left in the context, and the exit code that fits the error. */
int session_fail_error(const Session *session, AspError error);
/* The same for a result file that could not be read; a scene given in its place is named as such. */
int session_fail_result(const Session *session, AspError error, const char *path);
/* Does this process write files? Of several ranks the first one alone. */
bool session_leads(const Session *session);
/* The exit code of the first rank that failed, on all ranks; all call it. */
int session_agree(const Session *session, int code);
/* Two paths lead to one existing file. */
bool same_file(const char *a, const char *b);
/* The exit code that fits an error of the library. */
int exit_code_of(AspError error);
/* The same for a call of the system that left `reason` in errno: a full or failing disk and lack of memory are
 * EXIT_FAILED, all else is a place that was badly chosen. */
int exit_code_of_system(int reason);

#endif
