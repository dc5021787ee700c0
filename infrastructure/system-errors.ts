const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EEXIST: 'there is a file of that name already',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'there is no room left on the disk',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'permission is denied',
  EROFS: 'it is on a file system that is only read',
}

/** The reason for a failed file operation; undefined for other errors. */
export const reasonOf = (error: unknown): string | undefined =>
  error instanceof Error ? reasons[(error as NodeJS.ErrnoException).code ?? ''] : undefined
