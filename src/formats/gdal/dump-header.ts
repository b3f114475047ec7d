import { ownValue } from '../../core/values/record-keys.ts'
import type { Attribute, AttributeType, GeometryType, Schema } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'
import { FormatError } from '../format.ts'
import type { ListItem } from './dump-list.ts'
import type { Doubts } from './sqlite-doubts.ts'

/** Meaning of a field of a `COPY` row: the geometry, an attribute of the schema, or ignored. */
export type DumpField = { geometry: true } | { attribute: number; list?: ListItem } | undefined

export interface DumpHeader {
  schema: Schema
  /** In row order. */
  fields: DumpField[]
  /** Index of the field with the feature id; -1 for none. */
  keyField: number
}

/** Options for reading a dump. */
export interface DumpOptions {
  /** True if the feature id, under this name, is an identity column of the source. Default: false. */
  isIdentity?(key: string): boolean
  /** Values by feature id that GDAL does not return correctly. */
  doubts?: Doubts
}

const name = '"((?:[^"]|"")*)"'
const geometryForm = /^SELECT AddGeometryColumn\('public','t','((?:[^']|'')*)',-?\d+,'(\w+)',(\d)\);$/
const keyForm = /^CREATE TABLE "public"\."t" \( "((?:[^"]|"")*)" SERIAL\b/
const columnForm = new RegExp(`^ALTER TABLE "public"\\."t" ADD COLUMN ${name} (.*);$`)
const copyForm = /^COPY "public"\."t" \((.*)\) FROM STDIN;$/

const types: Record<string, AttributeType> = {
  boolean: 'boolean',
  smallint: 'int16',
  integer: 'int32',
  int8: 'int64',
  bigint: 'int64',
  float8: 'float64',
  real: 'float32',
  'double precision': 'float64',
  date: 'date',
  time: 'time',
  'timestamp with time zone': 'timestamp',
  bytea: 'binary',
}

/** Lists are converted to JSON text. */
const lists: Record<string, ListItem> = {
  'boolean[]': 'boolean',
  'int2[]': 'integer',
  'integer[]': 'integer',
  'int8[]': 'integer',
  'real[]': 'real',
  'float8[]': 'real',
  'varchar[]': 'text',
}

interface GeometryColumn {
  name: string
  type: GeometryType
  hasZ: boolean
  hasM: boolean
}

/** Reads the statements before the rows in the output of GDAL's PGDUMP driver. */
export class DumpHeaderReader {
  readonly #attributes: Attribute[] = []
  readonly #lists: (ListItem | undefined)[] = []
  #geometry: GeometryColumn | undefined
  #geometryCount = 0
  #key: string | undefined
  readonly #isIdentity: (key: string) => boolean

  /** The feature id is an attribute if it is an identity column of the source. */
  constructor({ isIdentity = () => false }: DumpOptions = {}) {
    this.#isIdentity = isIdentity
  }

  /** Number of geometries per row; only the first is read. */
  get geometryCount(): number {
    return this.#geometryCount
  }

  /** Processes a statement; returns the header when the statement precedes the rows. */
  take(line: string): DumpHeader | undefined {
    const geometry = geometryForm.exec(line)
    if (geometry !== null) this.#takeGeometry(geometry)
    const key = keyForm.exec(line)?.[1]
    if (key !== undefined) this.#takeKey(unquote(key))
    const column = columnForm.exec(line)
    if (column?.[1] !== undefined) this.#takeColumn(column[1], column[2] ?? '')
    const copy = copyForm.exec(line)
    return copy === null ? undefined : this.finish(copy[1])
  }

  /** Returns the header if no row follows. */
  finish(columns = ''): DumpHeader {
    const names = [...columns.matchAll(new RegExp(name, 'g'))].map((match) => unquote(match[1] ?? ''))
    const attributes = this.#attributes
    const geometry = this.#geometry
    const fields = names.map((field, index): DumpField => {
      if (field === geometry?.name && index === 0) return { geometry: true }
      const attribute = attributes.findIndex((known) => known.name === field)
      if (attribute < 0) return undefined
      const list = this.#lists[attribute]
      return list === undefined ? { attribute } : { attribute, list }
    })
    const keyField = this.#key === undefined ? -1 : names.indexOf(this.#key)
    return { schema: { attributes, geometry: geometry && { ...geometry, crs: undefined } }, fields, keyField }
  }

  #takeGeometry([, column = '', type = '', dimensions]: RegExpExecArray): void {
    this.#geometryCount += 1
    if (this.#geometry !== undefined) return
    const hasM = dimensions === '4' || type.endsWith('M')
    const plain = type.replace(/M$/, '')
    const known = geometryTypes.find((candidate) => candidate.toUpperCase() === plain)
    const hasZ = dimensions === '4' || (dimensions === '3' && !hasM)
    this.#geometry = { name: column.replaceAll("''", "'"), type: known ?? 'Geometry', hasZ, hasM }
  }

  #takeKey(key: string): void {
    this.#key = key
    if (!this.#isIdentity(key)) return
    this.#attributes.push({ name: key, type: 'int64', isIdentity: true })
    this.#lists.push(undefined)
  }

  #takeColumn(quoted: string, definition: string): void {
    const plain = definition.replace(/ NOT NULL| UNIQUE| DEFAULT .*/g, '').toLowerCase()
    const attribute = { name: unquote(quoted), type: ownValue(types, plain) ?? 'text' }
    if (this.#attributes.some((known) => known.name === attribute.name)) {
      throw new FormatError(`Two fields are called "${attribute.name}"`, { code: 'gdal-failed' })
    }
    this.#attributes.push(attribute)
    this.#lists.push(ownValue(lists, plain))
  }
}

function unquote(text: string): string {
  return text.replaceAll('""', '"')
}
