import type { FeatureBatch } from '../../../geo/batch.ts'
import { isValid } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import { defined } from '../../../lib/defined.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from '../feature-format.ts'
import { WrittenText } from '../feature-format.ts'
import { GmlGeometry } from './gml-geometry.ts'
import { gmlNamespace } from './gml-schema.ts'
import { gmlValue } from './gml-values.ts'
import { xmlAttribute, xmlName } from './xml-text.ts'

/** The element around features of OGC API - Features (OGC 17-069r4, section 8.4), and where it is described. */
const collection = 'http://www.opengis.net/ogcapi-features-1/1.0/sf'
const collectionLocation = 'http://schemas.opengis.net/ogcapi/features/part1/1.0/xml/core-sf.xsd'
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Namespaces and their schemas, as attributes of the root. */
function rootAttributes({ collection: own, isSingle }: WrittenAbout): string {
  const namespace = xmlAttribute(own)
  const locations = [
    own,
    `${own}/schema?f=gml`,
    ...(isSingle === true ? [] : [collection, collectionLocation]),
  ]
  return [
    ...(isSingle === true ? [] : [`xmlns:sf="${collection}"`]),
    `xmlns:gml="${gmlNamespace}"`,
    `xmlns:a="${namespace}"`,
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    `xsi:schemaLocation="${xmlAttribute(locations.join(' '))}"`,
  ].join(' ')
}

class GmlWriter extends WrittenText implements FeatureWriter {
  readonly #element: string
  readonly #names: string[]
  readonly #geometryName: string
  readonly #geometry: GmlGeometry
  readonly #isSingle: boolean
  readonly #root: string

  constructor(about: WrittenAbout, { attributes, geometry }: Schema) {
    super()
    const { name, crs, isSingle = false } = about
    this.#element = xmlName(name)
    this.#names = attributes.map((one) => `a:${xmlName(one.name)}`)
    this.#geometryName = `a:${xmlName(geometry?.name ?? '')}`
    this.#geometry = new GmlGeometry({ isYx: crs?.isYx === true, ...defined({ srsName: crs?.uri }) })
    this.#isSingle = isSingle
    this.#root = rootAttributes(about)
    this.text = isSingle ? head : `${head}<sf:FeatureCollection ${this.#root} gml:id="${this.#element}">\n`
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const element = this.#element
    const key = `${element}.${xmlName(`_${id}`).slice(1)}`
    const root = this.#isSingle ? ` ${this.#root}` : ''
    let text = `<a:${element}${root} gml:id="${key}">`
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
    text += `</a:${element}>`
    this.text += this.#isSingle ? text : `<sf:featureMember>${text}</sf:featureMember>\n`
  }
}

/**
 * GML 3.2 by the simple features profile, level 0 (OGC 10-100r3): elements of the namespace that the collection's address is,
 * described by its application schema. Nulls are left out.
 */
export const gmlFormat: FeatureFormat = {
  open: (about, schema) => new GmlWriter(about, schema),
  end: ({ isSingle }) => (isSingle === true ? '\n' : '</sf:FeatureCollection>\n'),
}
