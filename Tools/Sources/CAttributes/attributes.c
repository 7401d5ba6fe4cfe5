#include "attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static const char acl[] = "system.posix_acl_access";

static int copy(const char *from, int to, const char *name) {
    ssize_t size = getxattr(from, name, NULL, 0);
    char *value = size < 0 ? NULL : malloc((size_t)size + 1);
    if (value == NULL) return size < 0 ? errno : ENOMEM;
    size = getxattr(from, name, value, (size_t)size);
    int code = size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0 ? errno : 0;
    free(value);
    return code;
}

int kf_copy_attributes(const char *from, int to) {
    ssize_t size = listxattr(from, NULL, 0);
    // A file system without attributes.
    if (size < 0) return errno == ENOTSUP ? 0 : errno;
    char *names = malloc((size_t)size + 1);
    if (names == NULL) return ENOMEM;
    size = listxattr(from, names, (size_t)size);
    int result = size < 0 ? errno : 0, has_acl = 0;
    for (ssize_t i = 0; result == 0 && i < size; i += (ssize_t)strlen(names + i) + 1) {
        const char *name = names + i;
        int is_acl = strcmp(name, acl) == 0;
        has_acl |= is_acl;
        int code = copy(from, to, name);
        if (is_acl || strncmp(name, "user.", 5) == 0) result = code;
    }
    free(names);
    // The folder may give new files a list of its own.
    if (result == 0 && !has_acl && fremovexattr(to, acl) != 0 && errno != ENODATA && errno != ENOTSUP)
        result = errno;
    return result;
}
