import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import type { DataFile } from '../../formats/worker.ts'
import type { DescribedFile } from '../model/model.ts'
import type { LoadPool } from '../worker/worker.ts'

interface DescribeOptions {
  charset?: string
  signal: AbortSignal
}

/**
 * Caches the description of empty files by extension, since an archive may contain 100,000 empty files. Files
 * with sidecars are described individually.
 */
class EmptyFiles {
  readonly #known = new PromiseCache<string, DescribedFile>()

  /** Returns undefined if the file must be described individually. */
  async find(
    file: DataFile,
    describe: (file: DataFile) => Promise<DescribedFile>,
  ): Promise<DescribedFile | undefined> {
    for (const _ in file.sidecars) return undefined
    const status = await stat(file.path).catch(() => undefined)
    if (status?.isFile() !== true || status.size > 0) return undefined
    const extension = extname(file.path).toLowerCase()
    const first = this.#known.get(extension, () => describe(file))
    const { format, error, layers, ...unread } = await first
    return format === undefined && error === undefined ? { ...unread, layers, file } : undefined
  }
}

/** Describes files in worker threads, as many concurrently as loads are allowed; in file order. */
export async function describeAll(
  parts: { pool: LoadPool; limits: { concurrentLoads: number } },
  files: DataFile[],
  { charset, signal }: DescribeOptions,
): Promise<DescribedFile[]> {
  const described: DescribedFile[] = new Array(files.length)
  const empty = new EmptyFiles()
  const waiting = files.entries()
  const describe = (file: DataFile): Promise<DescribedFile> => parts.pool.describe(file, { signal, charset })
  const work = async (): Promise<void> => {
    for (const [index, file] of waiting) {
      signal.throwIfAborted()
      described[index] = (await empty.find(file, describe)) ?? (await describe(file))
    }
  }
  await Promise.all(Array.from({ length: Math.min(parts.limits.concurrentLoads, files.length) }, work))
  return described
}
