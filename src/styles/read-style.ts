import { invalid } from '../core/errors/errors.ts'
import type { StyleFormat } from './languages.ts'
import { getStyleLanguage } from './languages.ts'
import type { Rule, Style } from './model.ts'

/** Maximum number of rules of a style. */
const maxRules = 5000
/** Maximum number of numbers in a dash pattern. */
const maxDashes = 100

/**
 * Reads a style document; undefined for a QGIS document with only forms or actions. Throws `Failure`
 * (`invalid`) if the document is invalid in its format.
 */
export function readStyle({
  format,
  document,
}: {
  format: StyleFormat
  document: string
}): Style | undefined {
  const style = getStyleLanguage(format).read(document)
  if (style !== undefined) requireStyleSize(style.rules)
  return style
}

/** Throws `Failure` (`invalid-style`) for too many rules, or too long a dash pattern. */
export function requireStyleSize(rules: readonly Rule[]): void {
  if (rules.length > maxRules)
    throw invalid('invalid-style', `The style has ${rules.length} rules: at most ${maxRules} are read`)
  for (const { symbols } of rules)
    for (const symbol of symbols) {
      const { dashes } = ('stroke' in symbol && symbol.stroke) || {}
      if ((dashes?.length ?? 0) > maxDashes)
        throw invalid('invalid-style', `The style has a pattern of more than ${maxDashes} dashes`)
    }
}
