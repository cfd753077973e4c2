/* What programs of Go 1.26 ask of Windows and wine 8 does not have, as a bcryptprimitives.dll, which Go's
 * runtime loads at the start of every program:
 *
 * - ProcessPrng, its random numbers: by RtlGenRandom, which wine has.
 * - NtSetInformationFile with FileDispositionInformationEx, by which os.RemoveAll removes a file. Wine
 *   answers "not implemented", which Go does not know. Older Windows answers "invalid class", and Go then
 *   removes the file in the older way; so does this.
 *
 * Newer wines have both: .ci/windows uses this only where the DLL is missing. */
#include <string.h>
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  while (length > 0) {
    ULONG part = length > 1 << 20 ? 1 << 20 : (ULONG)length;
    if (!SystemFunction036(data, part)) return FALSE;
    data += part;
    length -= part;
  }
  return TRUE;
}

typedef LONG(NTAPI *set_information)(HANDLE, void *, void *, ULONG, int);

static set_information original;

static LONG NTAPI set_information_file(HANDLE file, void *status, void *data, ULONG length, int class) {
  if (class == 64 /* FileDispositionInformationEx */) return (LONG)0xC0000003; /* STATUS_INVALID_INFO_CLASS */
  return original(file, status, data, length, class);
}

/* The function in ntdll is the call of a number: 32 bytes, which run at any place. Its beginning becomes
 * a jump, and a copy of it is called instead. */
static void replace(void) {
  static const BYTE begin[] = {0x4c, 0x8b, 0xd1, 0xb8}; /* mov r10, rcx; mov eax, number */
  BYTE jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, place; jmp rax */
  enum { size = 32 };
  void *replacement = (void *)set_information_file;
  DWORD before;
  BYTE *at = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtSetInformationFile");
  BYTE *copy;
  if (at == NULL || memcmp(at, begin, sizeof begin) != 0) return;
  copy = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
  if (copy == NULL || !VirtualProtect(at, size, PAGE_EXECUTE_READWRITE, &before)) return;
  memcpy(copy, at, size);
  memcpy(&original, &copy, sizeof original);
  memcpy(jump + 2, &replacement, sizeof replacement);
  memcpy(at, jump, sizeof jump);
  VirtualProtect(at, size, before, &before);
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved) {
  (void)self;
  (void)reserved;
  if (reason == DLL_PROCESS_ATTACH) replace();
  return TRUE;
}
