import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { BoundedCache } from '../../lib/bounded-cache.ts'

/** What starts a page, by file name. */
export interface PageEntry {
  script: string
  style?: string
}

/** A file of the pages as it is sent. */
export interface PageFile {
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
const mostKept = 200

/** The pages that the set-up has built of `web/`. */
export class BuiltPages {
  readonly #folder: string
  readonly #entries: Record<string, PageEntry>
  readonly #files = new BoundedCache<string, Promise<Uint8Array | undefined>>(mostKept)

  /** Reads the list of what was built; where nothing was, there is no page. */
  constructor(folder: string) {
    this.#folder = folder
    this.#entries = readEntries(folder)
  }

  entry(name: string): PageEntry | undefined {
    return this.#entries[name]
  }

  /** The file in the encoding, or as it is where it has none of it; undefined for a name that is none of the pages'. */
  async file(name: string, encoding: 'br' | 'gzip' | undefined): Promise<PageFile | undefined> {
    const mediaType = mediaTypes.get(extname(name))
    if (mediaType === undefined || !/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return undefined
    if (encoding !== undefined) {
      const bytes = await this.#read(`${name}${endings[encoding]}`)
      if (bytes !== undefined) return { bytes, mediaType, encoding }
    }
    const bytes = await this.#read(name)
    return bytes && { bytes, mediaType }
  }

  #read(name: string): Promise<Uint8Array | undefined> {
    return this.#files.get(name, () => readFile(join(this.#folder, 'files', name)).catch(() => undefined))
  }
}

function readEntries(folder: string): Record<string, PageEntry> {
  try {
    const list = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as {
      entries: Record<string, PageEntry>
    }
    return list.entries
  } catch {
    return {}
  }
}
