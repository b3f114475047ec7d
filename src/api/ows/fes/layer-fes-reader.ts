import type { XmlElement } from '../../../core/text/xml-tree.ts'
import type { Expression } from '../../../filters/expression.ts'
import { FesReader } from '../../../filters/fes/fes-reader.ts'
import { readGml } from '../../../filters/fes/gml-literals.ts'
import { invalidFilter, unsupportedFilter } from '../../../filters/filter-size.ts'
import type { AttributeType, Schema } from '../../../geo/schema.ts'
import type { LayerCrs, NamedCrs } from '../named-crs.ts'
import { defaultCrs, readCrs } from '../named-crs.ts'
import { findProperty, isUnusedGml } from '../property-names.ts'

/** Reads operators of Filter Encoding for a layer, whose attribute types determine the types of literals. */
export class LayerFesReader extends FesReader {
  readonly #schema: Schema
  readonly #usual: NamedCrs
  #srs: string | undefined

  constructor(layer: LayerCrs) {
    super()
    this.#schema = layer.details.schema
    this.#usual = defaultCrs(layer) ?? { srs: 'EPSG:4326', isYx: false, name: '' }
  }

  /** CRS of the geometries that were read. */
  get srs(): string {
    return this.#srs ?? this.#usual.srs
  }

  protected override property(text: string): Expression {
    const name = findProperty(this.#schema, text)
    if (name !== undefined) return { kind: 'property', name }
    throw invalidFilter(`There is no property "${text.slice(0, 200)}": DescribeFeatureType lists them`)
  }

  protected override typeOfProperty(text: string): AttributeType | undefined {
    const property = findProperty(this.#schema, text)
    return this.#schema.attributes.find(({ name }) => name === property)?.type
  }

  protected override isAlwaysNull(text: string): boolean {
    return isUnusedGml(text) && findProperty(this.#schema, text) === undefined
  }

  /** Returns the named geometry property, or the only one. */
  protected override geometryProperty(text: string): Expression {
    const own = this.#schema.geometry?.name
    const property = text === '' ? own : findProperty(this.#schema, text)
    if (property !== undefined && property === own) return { kind: 'property', name: property }
    throw invalidFilter(
      text === '' ? 'The type has no geometry' : `"${text.slice(0, 200)}" is not a geometry of the type`,
    )
  }

  protected override geometry(element: XmlElement): Expression {
    const { wkb, srs } = readGml(element, (name) =>
      name === undefined ? this.#usual : readCrs(name, 'filter'),
    )
    if (this.#srs !== undefined && this.#srs !== srs)
      throw unsupportedFilter('The geometries of one filter have one CRS')
    this.#srs = srs
    return { kind: 'geometry', wkb }
  }
}
