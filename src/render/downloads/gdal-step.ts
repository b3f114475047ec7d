import type { ProgramResult } from '../../core/process/process.ts'
import { runProgram } from '../../core/process/process.ts'
import {
  limitedProgram,
  type RasterSource,
  spaceFor,
  throwUnreadable,
  withDiskWatch,
} from '../../formats/index.ts'

/** Input of a GDAL step for rasters. */
export interface GdalStep {
  linked: Pick<RasterSource, 'env' | 'folder'>
  /** Output folder. */
  folder: string
  roomBytes: number
  timeoutMs: number
  signal: AbortSignal
}

const maxOutputBytes = 1 << 20
/** Drivers of intermediate and output files; none of them is chosen by the name of an input. */
const writing = ['VRT', 'COG', 'MEM', 'GTiff', 'PNG', 'JPEG']

/** Runs a GDAL program within the disk space of its folder. Throws `Failure` and `FormatError`. */
export async function runGdalStep(
  name: string,
  args: string[],
  { linked, folder, roomBytes, timeoutMs, signal }: GdalStep,
): Promise<ProgramResult> {
  const limit = { folder, maxBytes: roomBytes }
  const maxFileBytes = await spaceFor(limit)
  const [program, limitedArgs] = await limitedProgram(name, args, { maxFileBytes })
  const skipped = (linked.env['GDAL_SKIP'] ?? '').split(',').filter((driver) => !writing.includes(driver))
  const env = { ...linked.env, GDAL_SKIP: skipped.join(','), GDAL_CACHEMAX: '256', CPL_TMPDIR: folder }
  try {
    return await withDiskWatch(limit, signal, (watched) =>
      runProgram(program, limitedArgs, { cwd: folder, env, timeoutMs, maxOutputBytes, signal: watched }),
    )
  } catch (error) {
    signal.throwIfAborted()
    throwUnreadable(error, linked.folder)
  }
}
