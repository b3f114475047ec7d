import type { XmlElement } from '../../core/text/xml-tree.ts'
import { Losses } from '../losses.ts'
import type { Rule, Style } from '../model.ts'
import { childElement, childrenOf, elementsOf, parseStyleXml, styleText } from '../style-xml.ts'
import { readQmlLabels } from './read-labels.ts'
import { readRasterRenderer } from './read-raster.ts'
import { readRenderer, scaleOf } from './read-renderer.ts'

/** Reads a QGIS 3 style document; undefined for one without a renderer, such as one with forms only. */
export function readQml(document: string): Style | undefined {
  const root = parseStyleXml(document, { takesDoctype: true })
  const losses = new Losses()
  const renderer = childElement(root, 'renderer-v2')
  const pipe = childElement(root, 'pipe')
  if (renderer?.attributes.type === undefined && childElement(pipe, 'rasterrenderer') === undefined)
    return undefined
  tellLayer(root, losses)
  if (renderer !== undefined) tellRenderer(renderer, losses)
  const opacity = Number(styleText(root, 'layerOpacity') ?? 1)
  const raster = pipe === undefined ? undefined : readRasterRenderer(pipe, losses)
  const drawn = renderer === undefined ? [] : readRenderer(renderer, opacity, losses)
  const labels = root.attributes.labelsEnabled === '0' ? undefined : childElement(root, 'labeling')
  const top = Math.max(0, ...drawn.map(({ pass = 0 }) => pass))
  const written = readQmlLabels(labels, opacity, losses).map((rule) => ({ ...rule, pass: top + 1 }))
  const rules: Rule[] = [...drawn, ...(raster === undefined ? [] : [{ symbols: [raster] }]), ...written]
  return { rules: rules.map((rule) => within(rule, root.attributes)), lost: losses.list() }
}

/** Records parts of the document that concern the whole layer, other than its renderer and labels. */
function tellLayer(root: XmlElement, losses: Losses): void {
  if ((styleText(root, 'blendMode') ?? '0') !== '0') losses.add('a blend mode')
  if ((styleText(root, 'featureBlendMode') ?? '0') !== '0') losses.add('a blend mode of features')
  const diagrams = elementsOf(root).filter(({ name }) => name.endsWith('DiagramRenderer'))
  const categories = diagrams.flatMap((one) => childrenOf(one, 'DiagramCategory'))
  if (categories.some(({ attributes }) => attributes.enabled !== '0')) losses.add('diagrams')
  const properties = childrenOf(childElement(root, 'customproperties'), 'property')
  const isLabelled = properties.some(
    ({ attributes: { key, value } }) => key === 'labeling/enabled' && value === 'true',
  )
  if (isLabelled && childElement(root, 'labeling') === undefined) losses.add('labels in the form of QGIS 2')
}

function tellRenderer(renderer: XmlElement, losses: Losses): void {
  if (hasEffect(renderer)) losses.add('an effect, such as a shadow')
  if (renderer.attributes.enableorderby === '1') losses.add('an order of features')
  for (const [name, what] of [
    ['rotation', 'a rotation by an attribute'],
    ['sizescale', 'a size by an attribute'],
  ] as const)
    if ((childElement(renderer, name)?.attributes.field ?? '') !== '') losses.add(what)
}

/** True if a stack of effects changes the drawing. */
function hasEffect(element: XmlElement): boolean {
  const { name, attributes } = element
  if (name === 'effect' && attributes.type === 'effectStack' && attributes.enabled === '1')
    return elementsOf(element).some(
      (one) => one.attributes.type !== 'drawSource' && one.attributes.enabled === '1',
    )
  return elementsOf(element).some(hasEffect)
}

/**
 * Limits a rule to the scales at which the layer is visible. `minScale` of the document is the larger
 * denominator.
 */
function within({ minScale, maxScale, symbols, ...rest }: Rule, attributes: Record<string, string>): Rule {
  const isLimited = attributes.hasScaleBasedVisibilityFlag === '1'
  const least = Math.max(minScale ?? 0, (isLimited ? scaleOf(attributes.maxScale) : undefined) ?? 0)
  const endless = Number.MAX_VALUE
  const most = Math.min(
    maxScale ?? endless,
    (isLimited ? scaleOf(attributes.minScale) : undefined) ?? endless,
  )
  return {
    ...rest,
    minScale: least === 0 ? undefined : least,
    maxScale: most === endless ? undefined : most,
    symbols,
  }
}
