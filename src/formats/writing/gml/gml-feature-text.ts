import type { FeatureBatch } from '../../../geo/batch.ts'
import { isValid } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { WrittenAbout } from '../feature-format.ts'
import { GmlGeometry } from './gml-geometry.ts'
import type { GmlVersion } from './gml-schema.ts'
import { gmlValue } from './gml-values.ts'
import { gmlId, xmlName } from './xml-text.ts'

/** Writes features as elements of a namespace. Nulls are omitted. */
export class GmlFeatureText {
  readonly #idPrefix: string
  readonly #element: string
  readonly #names: string[]
  readonly #geometryName: string
  readonly #geometry: GmlGeometry
  readonly #idAttribute: string

  /** `prefix` is the namespace prefix in names. */
  constructor(
    { name, idPrefix, crs }: Pick<WrittenAbout, 'name' | 'idPrefix' | 'crs'>,
    { attributes, geometry }: Schema,
    { prefix, version }: { prefix: string; version: GmlVersion },
  ) {
    this.#idPrefix = idPrefix ?? name
    this.#element = `${prefix}:${xmlName(name)}`
    this.#names = attributes.map((one) => `${prefix}:${xmlName(one.name)}`)
    this.#geometryName = `${prefix}:${xmlName(geometry?.name ?? '')}`
    this.#idAttribute = version === '2.1' ? 'fid' : 'gml:id'
    this.#geometry = new GmlGeometry({
      isYx: crs?.isYx === true,
      hasIds: version === '3.2',
      hasTuples: version === '2.1',
      srsName: crs?.uri,
    })
  }

  /** Returns the element of a row; `attributes` are additional XML attributes, each with a leading blank. */
  write(batch: FeatureBatch, row: number, id: string, attributes = ''): string {
    const key = this.idOf(id)
    const text = this.writeProperties(batch, row, key)
    return `<${this.#element}${attributes} ${this.#idAttribute}="${key}">${text}</${this.#element}>`
  }

  /** Returns the id of a row in documents. */
  idOf(id: string): string {
    return gmlId(this.#idPrefix, id)
  }

  /** Returns the elements of a row's properties; `key` is the prefix of its geometry ids. */
  writeProperties(batch: FeatureBatch, row: number, key: string): string {
    let text = ''
    for (const [index, column] of batch.columns.entries()) {
      const name = this.#names[index]
      const value = gmlValue(column, row)
      if (value !== undefined) text += `<${name}>${value}</${name}>`
    }
    const { geometry } = batch
    if (geometry !== undefined && isValid(geometry.validity, row)) {
      const wkb = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
      text += `<${this.#geometryName}>${this.#geometry.write(wkb, `${key}.g`)}</${this.#geometryName}>`
    }
    return text
  }
}
