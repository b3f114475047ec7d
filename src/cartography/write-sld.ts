import type { Condition, Drawing, Fill, Rule, Stroke, Symbolizer } from './drawing.ts'

function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function element(name: string, ...content: string[]): string {
  return `<${name}>${content.join('')}</${name}>`
}

function text(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : element(name, escapeXml(String(value)))
}

function css(name: string, value: string | number): string {
  return `<CssParameter name="${name}">${escapeXml(String(value))}</CssParameter>`
}

const comparisons = {
  '==': 'PropertyIsEqualTo',
  '!=': 'PropertyIsNotEqualTo',
  '<': 'PropertyIsLessThan',
  '<=': 'PropertyIsLessThanOrEqualTo',
  '>': 'PropertyIsGreaterThan',
  '>=': 'PropertyIsGreaterThanOrEqualTo',
}

function conditionXml(condition: Condition): string {
  switch (condition.op) {
    case 'all':
    case 'any': {
      const [only] = condition.conditions
      if (condition.conditions.length === 1 && only !== undefined) return conditionXml(only)
      return element(condition.op === 'all' ? 'ogc:And' : 'ogc:Or', ...condition.conditions.map(conditionXml))
    }
    case 'not':
      return element('ogc:Not', conditionXml(condition.condition))
    case 'null':
      return element('ogc:PropertyIsNull', text('ogc:PropertyName', condition.property))
    case 'dimension':
      return element(
        'ogc:PropertyIsEqualTo',
        '<ogc:Function name="dimension"><ogc:Function name="geometry"/></ogc:Function>',
        text('ogc:Literal', condition.value),
      )
    default:
      return element(
        `ogc:${comparisons[condition.op]}`,
        text('ogc:PropertyName', condition.property),
        text('ogc:Literal', String(condition.value)),
      )
  }
}

function fillXml(fill: Fill | undefined): string {
  if (fill === undefined) return ''
  return element('Fill', css('fill', fill.color), fill.opacity === 1 ? '' : css('fill-opacity', fill.opacity))
}

function strokeXml(stroke: Stroke | undefined): string {
  if (stroke === undefined) return ''
  const { color, width, opacity, dashes, cap, join } = stroke
  return element(
    'Stroke',
    css('stroke', color),
    css('stroke-width', width),
    opacity === 1 ? '' : css('stroke-opacity', opacity),
    dashes === undefined ? '' : css('stroke-dasharray', dashes.join(' ')),
    cap === undefined ? '' : css('stroke-linecap', cap),
    join === undefined ? '' : css('stroke-linejoin', join === 'miter' ? 'mitre' : join),
  )
}

function symbolXml(symbol: Symbolizer): string {
  switch (symbol.kind) {
    case 'point': {
      const mark = element(
        'Mark',
        text('WellKnownName', symbol.shape),
        fillXml(symbol.fill),
        strokeXml(symbol.stroke),
      )
      const graphic = element('Graphic', mark, text('Size', symbol.size), text('Rotation', symbol.rotation))
      return element('PointSymbolizer', graphic)
    }
    case 'line':
      return element('LineSymbolizer', strokeXml(symbol.stroke))
    case 'polygon':
      return element('PolygonSymbolizer', fillXml(symbol.fill), strokeXml(symbol.stroke))
    case 'text':
      return element(
        'TextSymbolizer',
        element('Label', text('ogc:PropertyName', symbol.property)),
        element('Font', css('font-family', 'SansSerif'), css('font-size', symbol.size)),
        symbol.halo === undefined
          ? ''
          : element(
              'Halo',
              text('Radius', symbol.halo.width),
              element('Fill', css('fill', symbol.halo.color)),
            ),
        element('Fill', css('fill', symbol.color)),
      )
    case 'raster':
      return element('RasterSymbolizer', text('Opacity', symbol.opacity))
  }
}

function ruleXml(rule: Rule): string {
  return element(
    'Rule',
    text('Name', rule.name),
    text('Title', rule.title),
    rule.condition === undefined ? '' : element('ogc:Filter', conditionXml(rule.condition)),
    rule.isElse === true ? '<ElseFilter/>' : '',
    text('MinScaleDenominator', rule.minScale),
    text('MaxScaleDenominator', rule.maxScale),
    ...rule.symbols.map(symbolXml),
  )
}

/** An SLD 1.0 document (OGC 02-070). What could not be said stands in a comment. */
export function writeSld(drawing: Drawing, name: string): string {
  const lost = drawing.lost.join('; ').replaceAll('--', '- -')
  const namespaces =
    'version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/sld http://schemas.opengis.net/sld/1.0.0/StyledLayerDescriptor.xsd"'
  const style = element(
    'UserStyle',
    text('Name', drawing.name ?? name),
    text('Title', drawing.title),
    element('FeatureTypeStyle', ...drawing.rules.map(ruleXml)),
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    lost === '' ? '' : `<!-- Not converted: ${lost} -->\n`,
    `<StyledLayerDescriptor ${namespaces}>`,
    element('NamedLayer', text('Name', name), style),
    '</StyledLayerDescriptor>\n',
  ].join('')
}
