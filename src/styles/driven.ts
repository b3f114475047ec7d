import type { Driven, Value } from './model.ts'

/** True if a value is computed from a feature or from the zoom. */
export function isDriven<T extends string | number>(value: Value<T>): value is Driven<T> {
  return typeof value === 'object'
}

/** Returns the same computation with changed results. */
export function mapDriven<From, To>(value: Driven<From>, change: (result: From) => To): Driven<To> {
  switch (value.by) {
    case 'attribute':
      return value
    case 'categories': {
      const { by, property, categories, otherwise } = value
      const changed = categories.map(({ values, value: result }) => ({ values, value: change(result) }))
      return { by, property, categories: changed, otherwise: change(otherwise) }
    }
    case 'classes': {
      const { by, input, breaks, values } = value
      return { by, input, breaks, values: values.map(change), ...otherwiseOf(value, change) }
    }
    case 'interpolation': {
      const { by, input, base, stops } = value
      const changed = stops.map(({ at, value: result }) => ({ at, value: change(result) }))
      return { by, input, base, stops: changed, ...otherwiseOf(value, change) }
    }
  }
}

/** Adds a number to a value; an attribute value is unchanged. */
export function enlarged(value: Value<number>, by: number): Value<number> {
  return isDriven(value)
    ? mapDriven(value, (amount) => tidyExpression(amount + by))
    : tidyExpression(value + by)
}

/** Removes the rounding error of a multiplication. */
export function tidyExpression(value: number): number {
  return Number(value.toPrecision(12))
}

/** Returns all possible values; undefined if the value is an attribute. */
export function amountsOf(value: Value<number>): number[] | undefined {
  if (!isDriven(value)) return [value]
  switch (value.by) {
    case 'attribute':
      return undefined
    case 'categories':
      return [...value.categories.map((one) => one.value), value.otherwise]
    case 'classes':
      return [...value.values, ...(value.otherwise === undefined ? [] : [value.otherwise])]
    case 'interpolation':
      return [
        ...value.stops.map((stop) => stop.value),
        ...(value.otherwise === undefined ? [] : [value.otherwise]),
      ]
  }
}

function otherwiseOf<From, To>({ otherwise }: { otherwise?: From }, change: (result: From) => To) {
  return otherwise === undefined ? {} : { otherwise: change(otherwise) }
}
