import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { defined } from '../../lib/defined.ts'

/** What starts a page, by file name. */
export interface PageEntry {
  script: string
  /** Scripts that have to be there before it runs. */
  imports: readonly string[]
  style?: string
}

/** What was built: entries by name, and by name the files of the style sheets that pages load beside the first. */
interface Built {
  entries: Record<string, PageEntry>
  sheets: Record<string, string>
}

/** What a page loads, by file names; absent where it is not built. */
interface PageFilesToLoad {
  styles: readonly string[]
  script?: string
  mapOrigin?: string
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
  /** Another server that the background map comes from. */
  readonly mapOrigin: string | undefined
  readonly #folder: string
  readonly #built: Built
  readonly #files = new BoundedCache<string, Promise<Uint8Array | undefined>>(mostKept)

  /** Reads the list of what was built; where nothing was, there is no page. */
  constructor(folder: string, mapOrigin?: string) {
    this.mapOrigin = mapOrigin
    this.#folder = folder
    this.#built = readBuilt(folder)
  }

  entry(name: string): PageEntry | undefined {
    return this.#built.entries[name]
  }

  /** What a page that the server writes loads: the styles of all pages, some of their sheets, and a script of its own. */
  filesOf(script: string, sheets: readonly string[]): PageFilesToLoad {
    const names = sheets.map((name) => this.#built.sheets[name])
    return {
      styles: [this.entry('main')?.style, ...names].filter((name) => name !== undefined),
      ...defined({ script: this.entry(script)?.script, mapOrigin: this.mapOrigin }),
    }
  }

  get sheets(): Readonly<Record<string, string>> {
    return this.#built.sheets
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

function readBuilt(folder: string): Built {
  try {
    return JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as Built
  } catch {
    return { entries: {}, sheets: {} }
  }
}
