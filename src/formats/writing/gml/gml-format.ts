import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from '../feature-format.ts'
import { WrittenText } from '../feature-format.ts'
import { GmlFeatureText } from './gml-feature-text.ts'
import { gmlNamespaces } from './gml-schema.ts'
import { xmlAttribute, xmlName } from './xml-text.ts'

/** Element around features of OGC API - Features (OGC 17-069r4, section 8.4), and its schema location. */
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
    `xmlns:gml="${gmlNamespaces['3.2']}"`,
    `xmlns:a="${namespace}"`,
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    `xsi:schemaLocation="${xmlAttribute(locations.join(' '))}"`,
  ].join(' ')
}

class GmlWriter extends WrittenText implements FeatureWriter {
  readonly #features: GmlFeatureText
  readonly #isSingle: boolean
  readonly #root: string

  constructor(about: WrittenAbout, schema: Schema) {
    super()
    const { name, isSingle = false } = about
    this.#features = new GmlFeatureText(about, schema, { prefix: 'a', version: '3.2' })
    this.#isSingle = isSingle
    this.#root = rootAttributes(about)
    this.text = isSingle ? head : `${head}<sf:FeatureCollection ${this.#root} gml:id="${xmlName(name)}">\n`
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const text = this.#features.write(batch, row, id, this.#isSingle ? ` ${this.#root}` : '')
    this.text += this.#isSingle ? text : `<sf:featureMember>${text}</sf:featureMember>\n`
  }
}

/**
 * GML 3.2 with the simple features profile, level 0 (OGC 10-100r3): elements in the namespace of the
 * collection's URL, described by its application schema. Nulls are omitted.
 */
export const gmlFormat: FeatureFormat = {
  open: (about, schema) => new GmlWriter(about, schema),
  end: ({ isSingle }) => (isSingle === true ? '\n' : '</sf:FeatureCollection>\n'),
}
