/*
 * Preloaded into a process that writes a log: counts its writes, syncs, renames and truncations below one directory
 * and lets the n-th go wrong. What goes wrong is said in a control file that both sides map, so that one process can
 * play many rounds.
 *
 * It also keeps what has been written and not been synced. A kernel that fails an fsync drops those pages
 * and calls them clean; a power cut drops any of them it likes. Both are played here without a kernel that can.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode {
  OFF = 0,      /* count only */
  ONCE = 1,     /* the n-th call fails, the next work */
  ON = 2,       /* the n-th and every later call fails: a dead device */
  LOSE = 3,     /* as ONCE, and a failed sync loses what it should have synced */
  CUT = 4,      /* at the n-th call the power goes: of what is not synced, a coin decides, write by write */
  LIE = 5       /* as CUT, on a device that answers syncs and does nothing: to see that the test can fail */
};

/* Which calls are counted, as bits of `calls`. */
enum calls { WRITES = 1, SYNCS = 2, RENAMES = 4, TRUNCATIONS = 8 };

/* Little-endian words of the control file; test/store/faults/control.mjs has the same list. */
struct control {
  uint32_t mode, nth, error, seed, calls, count, fired;
  char match[36];
  char what[192];
};

/* One write that has not been synced. */
struct pending {
  struct pending *next; /* older */
  dev_t dev;
  ino_t ino;
  off_t offset, size_before;
  size_t length;
  char *before, *after;
  char path[PATH_MAX];
};

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;
static struct pending *newest;
static int short_fd = -1; /* the write after a short one fails */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_ftruncate)(int, off_t);

__attribute__((constructor)) static void begin(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  const char *under = getenv("HOLDFAST_FAULT_FOLDER");
  const char *path = getenv("HOLDFAST_FAULT_CONTROL");
  if (!under || !path) return;
  int fd = open(path, O_RDWR);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  folder_length = strlen(under);
  if (folder_length >= sizeof folder) return;
  memcpy(folder, under, folder_length + 1);
  control = mapped;
}

static int below(const char *path) {
  return control && strncmp(path, folder, folder_length) == 0;
}

static int counts(enum calls call, const char *path) {
  size_t length = strlen(path), matched = strlen(control->match);
  return (control->calls & call) && length >= matched && strcmp(path + length - matched, control->match) == 0;
}

static int path_of(int fd, char *path) {
  if (!control) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

static void forget(dev_t dev, ino_t ino) {
  for (struct pending **at = &newest; *at;) {
    struct pending *entry = *at;
    if (entry->dev == dev && entry->ino == ino) {
      *at = entry->next;
      free(entry->before);
      free(entry->after);
      free(entry);
    } else {
      at = &entry->next;
    }
  }
}

static void restore(int fd, const struct pending *entry) {
  if (entry->before) real_pwrite(fd, entry->before, entry->length, entry->offset);
  if (entry->offset + (off_t)entry->length > entry->size_before) {
    struct stat now;
    if (fstat(fd, &now) == 0 && now.st_size > entry->size_before) real_ftruncate(fd, entry->size_before);
  }
}

/* A failed sync: its unsynced writes are gone, newest first so that the oldest content wins. */
static void lose(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  for (struct pending *entry = newest; entry; entry = entry->next)
    if (entry->dev == status.st_dev && entry->ino == status.st_ino) restore(fd, entry);
  forget(status.st_dev, status.st_ino);
}

static uint32_t toss(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state >> 7;
}

/* All unsynced writes undone, then some of them done after all, in their order; then no more process. */
static void cut(void) {
  size_t many = 0;
  for (struct pending *entry = newest; entry; entry = entry->next) {
    many++;
    int fd = open(entry->path, O_RDWR);
    if (fd < 0) continue;
    restore(fd, entry);
    close(fd);
  }
  struct pending **oldest_last = malloc(sizeof(struct pending *) * (many + 1));
  size_t at = 0;
  for (struct pending *entry = newest; entry; entry = entry->next) oldest_last[at++] = entry;
  uint32_t state = control->seed | 1;
  /* Every fourth cut keeps nothing, every fourth everything but the last. */
  uint32_t style = toss(&state) & 3;
  while (at-- > 0) {
    struct pending *entry = oldest_last[at];
    int keep = style == 0 ? 0 : style == 1 ? at != 0 : (int)(toss(&state) & 1);
    if (!keep) continue;
    int fd = open(entry->path, O_RDWR);
    if (fd < 0) continue;
    real_pwrite(fd, entry->after, entry->length, entry->offset);
    close(fd);
  }
  _exit(86);
}

/* Whether this call shall fail; the caller holds the mutex. */
static int strikes(enum calls kind, const char *call, const char *path) {
  if (!counts(kind, path)) return 0;
  uint32_t n = ++control->count;
  if (control->mode == OFF) return 0;
  if (control->mode == ON ? n < control->nth : n != control->nth) return 0;
  if (!control->fired) snprintf(control->what, sizeof control->what, "%s %.140s", call, path + folder_length);
  control->fired = 1;
  if (control->mode == CUT || control->mode == LIE) cut();
  return 1;
}

static void remember(int fd, const char *path, const void *bytes, size_t length, off_t offset) {
  struct stat status;
  if (fstat(fd, &status) != 0) return;
  struct pending *entry = calloc(1, sizeof *entry);
  entry->dev = status.st_dev;
  entry->ino = status.st_ino;
  entry->offset = offset;
  entry->size_before = status.st_size;
  entry->length = length;
  entry->before = calloc(1, length);
  entry->after = malloc(length);
  memcpy(entry->after, bytes, length);
  /* Not readable: a file that is only being written for the first time, so zeros will do. */
  ssize_t had = pread(fd, entry->before, length, offset);
  (void)had;
  snprintf(entry->path, sizeof entry->path, "%s", path);
  entry->next = newest;
  newest = entry;
}

static ssize_t written(const char *call, int fd, const void *bytes, size_t length, off_t offset, int positioned) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return positioned ? real_pwrite(fd, bytes, length, offset) : real_write(fd, bytes, length);
  pthread_mutex_lock(&mutex);
  if (!positioned) offset = lseek(fd, 0, SEEK_CUR);
  ssize_t result;
  if (short_fd == fd) {
    short_fd = -1;
    errno = (int)control->error;
    result = -1;
  } else if (strikes(WRITES, call, path)) {
    if (control->error == ENOSPC && length > 1) {
      /* A full disk takes what still fits, and refuses the rest. */
      length /= 2;
      short_fd = fd;
      remember(fd, path, bytes, length, offset);
      result = positioned ? real_pwrite(fd, bytes, length, offset) : real_write(fd, bytes, length);
    } else {
      errno = (int)control->error;
      result = -1;
    }
  } else {
    remember(fd, path, bytes, length, offset);
    result = positioned ? real_pwrite(fd, bytes, length, offset) : real_write(fd, bytes, length);
  }
  int kept = errno;
  pthread_mutex_unlock(&mutex);
  errno = kept;
  return result;
}

static int synced(const char *call, int fd, int (*real)(int)) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd);
  pthread_mutex_lock(&mutex);
  int result;
  int kept = 0;
  if (strikes(SYNCS, call, path)) {
    if (control->mode == LOSE) lose(fd);
    kept = (int)control->error;
    result = -1;
  } else {
    result = real(fd);
    kept = errno;
    struct stat status;
    if (result == 0 && control->mode != LIE && fstat(fd, &status) == 0) forget(status.st_dev, status.st_ino);
  }
  pthread_mutex_unlock(&mutex);
  errno = kept;
  return result;
}

static int truncated(int fd, off_t length) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real_ftruncate(fd, length);
  pthread_mutex_lock(&mutex);
  int result = -1;
  int kept = (int)control->error;
  if (!strikes(TRUNCATIONS, "ftruncate", path)) {
    result = real_ftruncate(fd, length);
    kept = errno;
  }
  pthread_mutex_unlock(&mutex);
  errno = kept;
  return result;
}

ssize_t write(int fd, const void *bytes, size_t length) { return written("write", fd, bytes, length, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return written("pwrite", fd, bytes, length, offset, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return written("pwrite", fd, bytes, length, offset, 1); }

/* Only the first part: a short write, which every caller must be able to continue. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  if (count < 1 || !path_of(fd, path)) return real_writev(fd, parts, count);
  return written("writev", fd, parts[0].iov_base, parts[0].iov_len, 0, 0);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  char path[PATH_MAX];
  if (count < 1 || !path_of(fd, path)) return real_pwritev(fd, parts, count, offset);
  return written("pwritev", fd, parts[0].iov_base, parts[0].iov_len, offset, 1);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) { return pwritev(fd, parts, count, offset); }

int fsync(int fd) { return synced("fsync", fd, real_fsync); }
int fdatasync(int fd) { return synced("fdatasync", fd, real_fdatasync); }
int ftruncate(int fd, off_t length) { return truncated(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncated(fd, length); }

int rename(const char *from, const char *to) {
  if (!below(to)) return real_rename(from, to);
  pthread_mutex_lock(&mutex);
  int result = -1;
  int kept = (int)control->error;
  if (!strikes(RENAMES, "rename", to)) {
    result = real_rename(from, to);
    kept = errno;
  }
  pthread_mutex_unlock(&mutex);
  errno = kept;
  return result;
}
