import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { StoreKind } from '../../../catalog/index.ts'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import { resolveInRoots } from '../../../inputs/index.ts'
import { StoreParams } from './paths.ts'

/** Formats that a request may upload or name, by the kind of store. */
const formats = {
  dataStore: ['shp', 'gpkg', 'geojson', 'csv', 'fgb'],
  coverageStore: ['geotiff'],
} as const satisfies Record<StoreKind, readonly string[]>

/** A file for a store, as the last part of the path names it. */
export interface StoreFile {
  /** `file`: the body is its content. `external`: the body is its location. */
  method: 'file' | 'external'
  format: string
}

export const StoreFileParams = Type.Object({
  ...StoreParams.properties,
  file: Type.String({ description: '`file.<format>` or `external.<format>`' }),
})

export const StoreFileQuery = Type.Object({
  configure: Type.Optional(
    Type.String({ description: '`first` (default) or `all` tables; `none` is refused' }),
  ),
  update: Type.Optional(
    Type.Enum(['append', 'overwrite'], {
      description:
        'What happens to rows of a layer that exists; default: `append` in a database, else `overwrite`',
    }),
  ),
  filename: Type.Optional(Type.String({ description: 'Name of the uploaded file' })),
  coverageName: Type.Optional(Type.String({ description: 'Name of the layer of a coverage' })),
})

/** Parses `file.shp`, `external.geotiff` and the like; throws `Failure` (`invalid`) that names what is taken. */
export function parseStoreFile(kind: StoreKind, text: string): StoreFile {
  const [method, format, ...more] = text.toLowerCase().split('.')
  const taken: readonly string[] = formats[kind]
  if (method === 'url')
    throw invalid('invalid-path', '"url" is not supported: import the address with POST /rest/imports')
  if ((method === 'file' || method === 'external') && format !== undefined && more.length === 0) {
    if (taken.includes(format)) return { method, format }
  }
  throw invalid(
    'invalid-path',
    `"${text.slice(0, 60)}" is not supported: file.<format> or external.<format> with the formats ${taken.join(', ')}`,
  )
}

/** Throws `Failure` for `configure=none`, which would leave data without a layer. */
export function requireConfigured(configure: string | undefined): 'first' | 'all' {
  if (configure === undefined || configure === 'first') return 'first'
  if (configure === 'all') return 'all'
  if (configure === 'none')
    throw invalid(
      'invalid-parameter',
      'configure=none is not supported: an upload creates its layers. Leave the parameter out',
    )
  throw invalid('invalid-parameter', `configure must be first or all, found "${configure.slice(0, 40)}"`)
}

const maxLocationBytes = 8192

/** Reads the location in a body and returns its real path, which is in an import root. */
export async function readLocation(body: unknown, importRoots: readonly string[]): Promise<string> {
  const text = (await readText(body as Readable | undefined)).trim()
  if (text === '' || /\p{Cc}/u.test(text))
    throw invalid('no-location', 'The body is the path of one file, or its file: address')
  return resolveInRoots(text, importRoots)
}

async function readText(body: Readable | undefined): Promise<string> {
  if (body === undefined) return ''
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length
    if (bytes > maxLocationBytes) {
      body.resume()
      throw new Failure('tooLarge', 'body-too-large', `A location has at most ${maxLocationBytes} bytes`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
