import type { XmlElement } from '../../../core/text/xml-tree.ts'
import { isGml } from '../../../filters/fes/gml-literals.ts'

/**
 * Returns a filter of WFS 1.0, whose geometries without `srsName` have x or easting first, with the name of the
 * CRS of the layer.
 */
export function withPlainAxes(operator: XmlElement, srs: string | undefined): XmlElement {
  if (srs === undefined) return operator
  if (!isGml(operator))
    return { ...operator, children: operator.children.map((one) => withPlainAxes(one, srs)) }
  if (operator.attributes['srsName'] !== undefined) return operator
  return { ...operator, attributes: { ...operator.attributes, srsName: srs } }
}
