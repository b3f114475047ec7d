import type { XmlElement } from '../../core/text/xml-tree.ts'
import { Losses } from '../losses.ts'
import type { Rule, Style } from '../model.ts'
import type { StyleXmlLimits } from '../style-xml.ts'
import { childElement, childrenOf, elementsOf, parseStyleXml, styleText } from '../style-xml.ts'
import { readSldFilter } from './read-filter.ts'
import { SymbolReader } from './read-symbols.ts'

/**
 * Reads the first style of an SLD 1.0 document (OGC 02-070), or of one with the symbols of SE 1.1 (OGC
 * 05-077r4).
 */
export function readSld(document: string): Style {
  const root = parseStyleXml(document)
  const layers = [...childrenOf(root, 'NamedLayer'), ...childrenOf(root, 'UserLayer')]
  const styles = layers.flatMap((layer) => childrenOf(layer, 'UserStyle'))
  const losses = new Losses()
  if (styles.length > 1) losses.add(`${styles.length - 1} further styles`)
  if (layers.some((layer) => childElement(layer, 'NamedStyle') !== undefined))
    losses.add('a style that is only named')
  for (const layer of layers) tellLayer(layer, losses)
  const [style] = styles
  const name = styleText(style, 'Name') ?? styleText(layers[0], 'Name')
  return { name, ...userStyle(style, losses) }
}

/** A layer in a document: a style, or the name of a stored one. */
export interface SldLayer {
  /** Name of the layer. */
  name: string
  style?: Style
  styleName?: string
  /** True if the document restricts the layer's features by a constraint that is not supported. */
  isNarrowed: boolean
  /** Further unsupported parts. */
  lost: readonly string[]
}

/**
 * Reads each layer that a document names (OGC 02-070, section 11): its default style, otherwise the first.
 * Layers with inline data are skipped.
 */
export function readSldLayers(document: string, limits?: StyleXmlLimits): SldLayer[] {
  const layers = childrenOf(parseStyleXml(document, { limits }), 'NamedLayer')
  return layers.map((layer) => {
    const styles = childrenOf(layer, 'UserStyle')
    const style = styles.find((one) => /^(?:1|true)$/.test(styleText(one, 'IsDefault') ?? '')) ?? styles[0]
    const losses = new Losses()
    const drawn = style && userStyle(style, losses)
    return {
      name: styleText(layer, 'Name') ?? '',
      isNarrowed: isNarrowed(layer),
      lost: losses.list(),
      style: drawn,
      styleName: styleText(childElement(layer, 'NamedStyle'), 'Name'),
    }
  })
}

function userStyle(style: XmlElement | undefined, losses: Losses): Omit<Style, 'name'> {
  const symbols = new SymbolReader(losses)
  const passes = childrenOf(style, 'FeatureTypeStyle')
  const rules = passes.flatMap((pass, index) => {
    tellPass(pass, losses)
    return childrenOf(pass, 'Rule').flatMap((rule) =>
      isDrawn(rule, losses) ? [readRule(rule, index, symbols)] : [],
    )
  })
  return { ...titlesOf(style), rules, lost: losses.list() }
}

/**
 * Records parts of a document's layer besides its styles: a style applies to any layer that it is assigned
 * to.
 */
function tellLayer(layer: XmlElement, losses: Losses): void {
  if (isNarrowed(layer)) losses.add('a constraint of the layer, which leaves features out')
  if (childElement(layer, 'RemoteOWS') ?? childElement(layer, 'InlineFeature'))
    losses.add('data that the document brings along')
}

function isNarrowed(layer: XmlElement): boolean {
  const constraints = ['LayerFeatureConstraints', 'LayerCoverageConstraints'].flatMap((name) =>
    elementsOf(childElement(layer, name)),
  )
  const narrows = ['Filter', 'Extent', 'CoverageExtent']
  return constraints.some((one) => narrows.some((name) => childElement(one, name) !== undefined))
}

const partsOfPass = new Set([
  'Name',
  'Title',
  'Abstract',
  'Description',
  'FeatureTypeName',
  'CoverageName',
  'SemanticTypeIdentifier',
  'OnlineResource',
  'Rule',
  'Transformation',
  'VendorOption',
])
const partsOfRule = new Set([
  'Name',
  'Title',
  'Abstract',
  'Description',
  'Filter',
  'ElseFilter',
  'VendorOption',
  'MinScaleDenominator',
  'MaxScaleDenominator',
])

/** Records the parts of one `FeatureTypeStyle` besides its rules. */
function tellPass(pass: XmlElement, losses: Losses): void {
  for (const { name } of elementsOf(pass))
    if (!partsOfPass.has(name)) losses.add(`a ${name} of a FeatureTypeStyle`)
  if (childElement(pass, 'Transformation') !== undefined) losses.add('a transformation of the data')
  for (const option of childrenOf(pass, 'VendorOption'))
    losses.add(`the vendor option ${option.attributes.name ?? ''}`)
}

function titlesOf(element: XmlElement | undefined): { title?: string; abstract?: string } {
  const description = childElement(element, 'Description')
  const title = styleText(element, 'Title') ?? styleText(description, 'Title')
  return { title, abstract: styleText(element, 'Abstract') ?? styleText(description, 'Abstract') }
}

/** True if a map draws the rule; records the parts besides its symbols. */
function isDrawn(rule: XmlElement, losses: Losses): boolean {
  for (const { name } of elementsOf(rule))
    if (!partsOfRule.has(name) && !name.endsWith('Symbolizer')) losses.add(`a ${name} of a rule`)
  const options = childrenOf(rule, 'VendorOption')
  const inclusion = options.find(({ attributes }) => attributes.name === 'inclusion')?.text.trim()
  for (const { attributes } of options)
    if (attributes.name !== 'inclusion') losses.add(`the vendor option ${attributes.name ?? ''}`)
  if (inclusion === 'mapOnly') losses.add('a rule that no legend shows')
  if (inclusion === 'legendOnly') losses.add('a rule that is for the legend alone')
  return inclusion !== 'legendOnly'
}

function readRule(element: XmlElement, pass: number, symbols: SymbolReader): Rule {
  const filter = childElement(element, 'Filter')
  const condition = filter === undefined ? undefined : readSldFilter(filter, symbols.losses)
  const isElse = childElement(element, 'ElseFilter') === undefined ? undefined : (true as const)
  return {
    name: styleText(element, 'Name'),
    ...titlesOf(element),
    condition,
    isElse,
    minScale: scaleOf(element, 'Min'),
    maxScale: scaleOf(element, 'Max'),
    pass: pass === 0 ? undefined : pass,
    symbols: elementsOf(element).flatMap((one) => symbols.symbols(one)),
  }
}

/** A bound of the scale; 0 below and endlessness above are none. */
function scaleOf(element: XmlElement, end: 'Min' | 'Max'): number | undefined {
  const scale = Number(styleText(element, `${end}ScaleDenominator`) ?? Number.NaN)
  return Number.isFinite(scale) && scale > 0 ? scale : undefined
}
