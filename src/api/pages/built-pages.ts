import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'

/** Script and style of a page, by file name. */
export interface PageEntry {
  script: string
  /** Scripts that have to be there before it runs. */
  imports: readonly string[]
  style?: string
}

/** Result of the build: entries by name, and the file names of further style sheets. */
interface Built {
  entries: Record<string, PageEntry>
  sheets: Record<string, string>
}

/** Files that a page loads; absent if they are not built. */
interface PageFilesToLoad {
  styles: readonly string[]
  script?: string
  mapOrigin?: string
}

/** A file of the web interface as sent. */
export interface BuiltPageFile {
  bytes: Uint8Array
  mediaType: string
  encoding?: 'br' | 'gzip'
}

const mediaTypes = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
])
const endings = { br: '.br', gzip: '.gz' } as const
/** Extensions of files that are already compressed. */
const packed = new Set(['.woff2'])
const minCompressedBytes = 1024
const compressors = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
}
const maxKept = 200

/** The pages that the set-up has built of `web/`. */
export class BuiltPages {
  /** Another server that the background map comes from. */
  readonly mapOrigin: string | undefined
  readonly #folder: string
  readonly #built: Built
  readonly #files = new BoundedCache<string, Promise<Uint8Array | undefined>>(maxKept)
  /** Forms of files that are not on the disk. */
  readonly #made = new BoundedCache<string, Promise<Uint8Array>>(maxKept)

  /** Reads the list of what was built; where nothing was, there is no page. */
  constructor(folder: string, mapOrigin?: string) {
    this.mapOrigin = mapOrigin
    this.#folder = folder
    this.#built = readBuilt(folder)
  }

  entry(name: string): PageEntry | undefined {
    return this.#built.entries[name]
  }

  /**
   * Returns the files of a server-rendered page: the common styles, some further sheets, and a script of its
   * own.
   */
  filesOf(script: string, sheets: readonly string[]): PageFilesToLoad {
    const names = sheets.map((name) => this.#built.sheets[name])
    return {
      styles: [this.entry('main')?.style, ...names].filter((name) => name !== undefined),
      script: this.entry(script)?.script,
      mapOrigin: this.mapOrigin,
    }
  }

  get sheets(): Readonly<Record<string, string>> {
    return this.#built.sheets
  }

  /**
   * Returns a file in the encoding, or unencoded if that would not be smaller; undefined for unknown names. The npm package
   * has each file in one form: the others are made at the first request.
   */
  async file(name: string, encoding: 'br' | 'gzip' | undefined): Promise<BuiltPageFile | undefined> {
    const mediaType = mediaTypes.get(extname(name))
    if (mediaType === undefined || !/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return undefined
    const bytes = await this.#readPlain(name)
    if (bytes === undefined) return undefined
    const encoded = encoding && (await this.#readEncoded(name, bytes, encoding))
    return encoded === undefined ? { bytes, mediaType } : { bytes: encoded, mediaType, encoding }
  }

  async #readPlain(name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#read(name)
    if (bytes !== undefined) return bytes
    const compressed = await this.#read(`${name}${endings.br}`)
    return compressed && this.#made.get(name, () => promisify(brotliDecompress)(compressed))
  }

  async #readEncoded(
    name: string,
    bytes: Uint8Array,
    encoding: 'br' | 'gzip',
  ): Promise<Uint8Array | undefined> {
    if (packed.has(extname(name)) || bytes.length < minCompressedBytes) return undefined
    const file = `${name}${endings[encoding]}`
    return (await this.#read(file)) ?? this.#made.get(file, () => compressors[encoding](bytes))
  }

  #read(name: string): Promise<Uint8Array | undefined> {
    return this.#files.get(name, () => readFile(join(this.#folder, 'files', name)).catch(() => undefined))
  }
}

function readBuilt(folder: string): Built {
  try {
    return JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as Built
  } catch {
    return { entries: {}, sheets: {} }
  }
}
