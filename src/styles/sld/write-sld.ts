import { passOf } from '../evaluate.ts'
import { expandRules, withoutElse } from '../expand.ts'
import type { WrittenStyle } from '../losses.ts'
import { Losses } from '../losses.ts'
import type { Rule, Style } from '../model.ts'
import { attributes, styleElement, styleTextElement } from '../style-xml.ts'
import type { SldDialect, SldVersion } from './dialect.ts'
import { dialectOf } from './dialect.ts'
import { writeSldFilter } from './write-filter.ts'
import { SymbolWriter } from './write-symbols.ts'

/**
 * Writes an SLD document, 1.0 (OGC 02-070) or 1.1 with the symbols of SE 1.1. A comment lists what it cannot
 * express.
 */
export function writeSld(style: Style, name: string, version: SldVersion = '1.0.0'): WrittenStyle {
  const dialect = dialectOf(version)
  const losses = new Losses(style.lost)
  const rules = expandRules(style.rules, losses)
  if (!dialect.isSe) tellRepeats(rules, losses)
  const symbols = new SymbolWriter(dialect)
  const passes = passesOf(rules, losses).map((pass) =>
    styleElement(dialect.name('FeatureTypeStyle'), ...pass.map((rule) => ruleXml(rule, dialect, symbols))),
  )
  const userStyle = styleElement(
    'UserStyle',
    styleTextElement(dialect.name('Name'), style.name ?? name),
    dialect.titles(style),
    ...passes,
  )
  const lost = losses.list()
  const document = [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    lost.length === 0 ? '' : `<!-- Not converted: ${commentOf(lost)} -->\n`,
    `<StyledLayerDescriptor ${namespacesOf(dialect)}>`,
    styleElement('NamedLayer', styleTextElement(dialect.name('Name'), name), userStyle),
    '</StyledLayerDescriptor>\n',
  ].join('')
  return { document, lost }
}

/** Without what ends a comment or is not a character of XML. */
function commentOf(lost: string[]): string {
  return lost
    .join('; ')
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replace(/-(?=-|$)/g, '- ')
}

function tellRepeats(rules: Rule[], losses: Losses): void {
  for (const { symbols } of rules)
    for (const symbol of symbols)
      if (symbol.kind === 'text' && symbol.placement?.at === 'line' && symbol.placement.repeat !== undefined)
        losses.add('labels that are said again along a line')
}

/** Returns the rules of each pass. An else rule with a condition becomes a rule with conditions only. */
function passesOf(rules: Rule[], losses: Losses): Rule[][] {
  const needsConditions = rules.some(({ isElse, condition }) => isElse === true && condition !== undefined)
  const passes = new Map<number, Rule[]>()
  for (const rule of needsConditions ? withoutElse(rules, losses) : rules) {
    const pass = passes.get(passOf(rule))
    if (pass === undefined) passes.set(passOf(rule), [rule])
    else pass.push(rule)
  }
  return [...passes].sort(([one], [other]) => one - other).map(([, pass]) => pass)
}

function ruleXml(rule: Rule, dialect: SldDialect, symbols: SymbolWriter): string {
  return styleElement(
    dialect.name('Rule'),
    styleTextElement(dialect.name('Name'), rule.name),
    dialect.titles(rule),
    rule.condition === undefined ? '' : writeSldFilter(rule.condition, dialect),
    rule.isElse === true ? `<${dialect.name('ElseFilter')}/>` : '',
    styleTextElement(dialect.name('MinScaleDenominator'), rule.minScale),
    styleTextElement(dialect.name('MaxScaleDenominator'), rule.maxScale),
    ...rule.symbols.map((symbol) => symbols.symbol(symbol)),
  )
}

function namespacesOf({ version, isSe }: SldDialect): string {
  return attributes({
    version,
    xmlns: 'http://www.opengis.net/sld',
    'xmlns:se': isSe ? 'http://www.opengis.net/se' : undefined,
    'xmlns:ogc': 'http://www.opengis.net/ogc',
    'xmlns:gml': 'http://www.opengis.net/gml',
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `http://www.opengis.net/sld http://schemas.opengis.net/sld/${version}/StyledLayerDescriptor.xsd`,
  }).trimStart()
}
