import { isDriven, mapDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Value } from '../model.ts'

/** Multiplies a value; undefined, with a recorded loss, if it is an attribute value. */
export function scaled(value: Value<number>, factor: number, name: string, losses: Losses): Value<number> {
  if (!isDriven(value)) return value * factor
  if (value.by !== 'attribute' || factor === 1) return mapDriven(value, (amount) => amount * factor)
  losses.add(`an expression for ${name}`)
  return 5 * factor
}

/** The opacity that a property and the colour itself give together. */
export function together(opacity: Value<number>, own: number, losses: Losses): Value<number> {
  return own === 1 ? opacity : rounded(scaled(opacity, own, 'opacity', losses))
}

function rounded(value: Value<number>): Value<number> {
  const round = (amount: number): number => Math.round(amount * 1000) / 1000
  return isDriven(value) ? mapDriven(value, round) : round(value)
}
