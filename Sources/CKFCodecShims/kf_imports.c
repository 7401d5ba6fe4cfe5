// For dl_iterate_phdr.
#define _GNU_SOURCE
#include "kf_imports.h"

#if __SIZEOF_POINTER__ == 8
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct tables {
    const Elf64_Sym *symbols;
    const char *names;
    const Elf64_Rela *relocations[2];
    size_t bytes[2];
    // What the linker has made read-only.
    uintptr_t fixed_start, fixed_end;
} tables;

typedef struct wanted {
    const kf_import *imports;
    size_t count;
} wanted;

static uintptr_t page_of(uintptr_t address) {
    return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

// Writes a slot of a table. Returns whether it could be written.
static int write_slot(const tables *found, uintptr_t slot, void *function) {
    void *page = (void *)page_of(slot);
    int is_fixed = slot >= found->fixed_start && slot < found->fixed_end;
    if (is_fixed && mprotect(page, sizeof slot, PROT_READ | PROT_WRITE) != 0) return 0;
    *(void **)slot = function;
    return !is_fixed || mprotect(page, sizeof slot, PROT_READ) == 0;
}

// Returns whether all slots could be written.
static int redirect(const char *library, uintptr_t base, const tables *found, int table,
                    const wanted *wanted) {
    const Elf64_Rela *relocation = found->relocations[table];
    if (relocation == NULL) return 1;
    for (size_t i = 0; i < found->bytes[table] / sizeof *relocation; i++, relocation++) {
        size_t symbol = ELF64_R_SYM(relocation->r_info);
        const char *name = found->names + found->symbols[symbol].st_name;
        if (symbol == 0) continue;
        for (size_t j = 0; j < wanted->count; j++) {
            const kf_import *new = &wanted->imports[j];
            if (strcmp(name, new->name) != 0 || strstr(library, new->library) == NULL) continue;
            if (!write_slot(found, base + relocation->r_offset, new->function)) return 0;
        }
    }
    return 1;
}

static int is_wanted(const char *library, const wanted *wanted) {
    for (size_t i = 0; i < wanted->count; i++)
        if (strstr(library, wanted->imports[i].library) != NULL) return 1;
    return 0;
}

// Anything but 0 ends the visits: a slot could not be written.
static int visit(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *library = slash != NULL ? slash + 1 : info->dlpi_name;
    if (!is_wanted(library, context)) return 0;
    tables found = {0};
    const Elf64_Dyn *entry = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t address = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) entry = (const void *)address;
        if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
        // The linker rounds both down to pages.
        found.fixed_start = page_of(address);
        found.fixed_end = page_of(address + info->dlpi_phdr[i].p_memsz);
    }
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        uintptr_t address = entry->d_un.d_ptr;
        // glibc has added the base already.
        if (address < info->dlpi_addr) address += info->dlpi_addr;
        switch (entry->d_tag) {
        case DT_SYMTAB: found.symbols = (const void *)address; break;
        case DT_STRTAB: found.names = (const void *)address; break;
        case DT_JMPREL: found.relocations[0] = (const void *)address; break;
        case DT_RELA: found.relocations[1] = (const void *)address; break;
        case DT_PLTRELSZ: found.bytes[0] = entry->d_un.d_val; break;
        case DT_RELASZ: found.bytes[1] = entry->d_un.d_val; break;
        }
    }
    if (found.symbols == NULL || found.names == NULL) return 0;
    for (int table = 0; table < 2; table++)
        if (!redirect(library, info->dlpi_addr, &found, table, context)) return 1;
    return 0;
}

int kf_imports_replace(const kf_import *imports, size_t count) {
    return dl_iterate_phdr(visit, &(wanted){imports, count}) == 0;
}

#else

int kf_imports_replace(const kf_import *imports, size_t count) {
    (void)imports;
    (void)count;
    return 0;
}

#endif
