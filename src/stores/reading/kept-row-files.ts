import { RowFile } from './row-file.ts'

const mostKept = 32
/** The space of a file that was removed is given back when nobody has it open any more. */
const keepMs = 2000

interface Kept {
  file: RowFile | undefined
  users: number
  timer: NodeJS.Timeout | undefined
}

const kept = new Map<string, Kept>()

/** What work makes of a row file, which stays open for the next; of `undefined` where there is none. */
export async function withRowFile<Result>(
  path: string,
  work: (file: RowFile | undefined) => Promise<Result>,
): Promise<Result> {
  const known = kept.get(path) ?? { file: RowFile.open(path), users: 0, timer: undefined }
  if (known.file === undefined) return work(undefined)
  clearTimeout(known.timer)
  kept.delete(path)
  kept.set(path, known)
  known.users += 1
  try {
    return await work(known.file)
  } finally {
    known.users -= 1
    if (known.users === 0) known.timer = setTimeout(() => forget(path, known), keepMs)
    for (const [oldest, one] of kept) {
      if (kept.size <= mostKept) break
      if (one.users === 0) forget(oldest, one)
    }
  }
}

function forget(path: string, known: Kept): void {
  clearTimeout(known.timer)
  if (kept.get(path) === known) kept.delete(path)
  known.file?.close()
}
