import type { DefinitionBounds } from './model.ts'

/** Returns the choices of a field, with 2 decimals; undefined if any number between the bounds is valid. */
export function calculatedSteps({ min, max, steps }: DefinitionBounds): string[] | undefined {
  if (Array.isArray(steps)) return steps.map(choiceText)
  if (steps === null || min === null || max === null) return undefined
  return Array.from({ length: steps + 1 }, (_, k) => choiceText(min + (k * (max - min)) / steps))
}

/** Returns the number of steps, or the number of choices of a list. */
export function stepCount({ steps }: DefinitionBounds): number | null {
  return Array.isArray(steps) ? steps.length : steps
}

function choiceText(value: number): string {
  return value.toFixed(2)
}

/** Returns why a limit is invalid for a field; undefined if it is valid. */
export function limitProblem(bounds: DefinitionBounds, value: number): string | undefined {
  const { min, max } = bounds
  const choices = calculatedSteps(bounds)
  // Checks the choices first: a bound rounded to 2 decimals may exceed the exact bound.
  if (choices?.some((one) => Number(one) === value)) return undefined
  if (min !== null && value < min) return `Ensure this value is greater than or equal to ${min}.`
  if (max !== null && value > max) return `Ensure this value is less than or equal to ${max}.`
  return choices && `Select a valid choice. ${value} is not one of the available choices.`
}
