import { ByteWindow } from '../byte-window.ts'
import { FormatError } from '../format.ts'
import { openFile } from '../open-file.ts'

/** Maximum number of images of a file that are checked: the main image, its masks and overviews. */
const maxDirectories = 1024
/** Tags of TIFF 6.0, sections 8 and 15: offsets of strips and tiles, and their lengths. */
const starts = new Set([273, 324])
const lengths = new Set([279, 325])
const widths: Record<number, number> = { 3: 2, 4: 4, 16: 8 }

/** Reads numbers of a file in its byte order, classic TIFF or BigTIFF. */
class TiffNumbers {
  readonly isBig: boolean
  readonly #isLittle: boolean
  readonly #window: ByteWindow

  constructor(window: ByteWindow) {
    this.#window = window
    this.#isLittle = window.view.getUint8(0) === 0x49
    this.isBig = window.view.getUint16(2, this.#isLittle) === 43
  }

  /** Returns undefined after the end of the file. */
  async at(position: number, bytes: number): Promise<number | undefined> {
    if (!(await this.#window.load(position, bytes))) return undefined
    const { view, at } = this.#window
    if (bytes === 2) return view.getUint16(at, this.#isLittle)
    return bytes === 4 ? view.getUint32(at, this.#isLittle) : Number(view.getBigUint64(at, this.#isLittle))
  }
}

/** A list of numbers of a directory. */
interface NumberList {
  at: number
  bytes: number
  count: number
}

interface Directory {
  starts?: NumberList
  lengths?: NumberList
  next: number
}

async function readDirectory(numbers: TiffNumbers, at: number): Promise<Directory | undefined> {
  const { isBig } = numbers
  const [countBytes, entryBytes, numberBytes] = isBig ? [8, 20, 8] : [2, 12, 4]
  const count = (await numbers.at(at, countBytes)) ?? 0
  const found: Directory = { next: 0 }
  for (let entry = 0; entry < Math.min(count, 4096); entry += 1) {
    const start = at + countBytes + entry * entryBytes
    const tag = (await numbers.at(start, 2)) ?? 0
    if (!starts.has(tag) && !lengths.has(tag)) continue
    const bytes = widths[(await numbers.at(start + 2, 2)) ?? 0]
    const items = (await numbers.at(start + 4, numberBytes)) ?? 0
    if (bytes === undefined) return undefined
    const valueAt = start + 4 + numberBytes
    const isInside = items * bytes <= numberBytes
    const list = {
      at: isInside ? valueAt : ((await numbers.at(valueAt, numberBytes)) ?? 0),
      bytes,
      count: items,
    }
    if (starts.has(tag)) found.starts = list
    else found.lengths = list
  }
  found.next = (await numbers.at(at + countBytes + count * entryBytes, numberBytes)) ?? 0
  return found
}

/** Uses separate windows for offsets and lengths, which may be far apart. */
async function checkBlocks(
  numbers: [TiffNumbers, TiffNumbers],
  { starts: from, lengths: of }: Directory,
  sizeBytes: number,
): Promise<void> {
  if (from === undefined || of === undefined) return
  for (let block = 0; block < Math.min(from.count, of.count); block += 1) {
    const start = await numbers[0].at(from.at + block * from.bytes, from.bytes)
    const length = await numbers[1].at(of.at + block * of.bytes, of.bytes)
    const end = start === undefined || length === undefined ? Number.POSITIVE_INFINITY : start + length
    if (end <= sizeBytes) continue
    const place = Number.isFinite(end) ? `ends at byte ${end}` : 'is listed behind its end'
    const message = `The TIFF is cut short or damaged: block ${block + 1} of ${from.count} ${place}, the file has ${sizeBytes} bytes`
    throw new FormatError(message, { code: 'truncated' })
  }
}

/**
 * Throws `FormatError` for a TIFF with strips or tiles outside of the file: GDAL only detects them when
 * reading. GDAL checks for other errors.
 */
export async function checkTiffExtent(path: string, signal: AbortSignal): Promise<void> {
  const file = await openFile(path, signal)
  try {
    const windows = [ByteWindow.over(file, 1 << 16), ByteWindow.over(file, 1 << 16)] as const
    for (const window of windows) if (!(await window.load(0, 16))) return
    const numbers: [TiffNumbers, TiffNumbers] = [new TiffNumbers(windows[0]), new TiffNumbers(windows[1])]
    const seen = new Set<number>()
    let at = numbers[0].isBig ? await numbers[0].at(8, 8) : await numbers[0].at(4, 4)
    while (at !== undefined && at !== 0 && !seen.has(at) && seen.size < maxDirectories) {
      seen.add(at)
      const directory = await readDirectory(numbers[0], at)
      if (directory === undefined) return
      await checkBlocks(numbers, directory, file.size)
      at = directory.next
    }
  } finally {
    await file.close()
  }
}
