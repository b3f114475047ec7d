import type { Driven, Value } from './model.ts'

/** Whether a value is computed from a feature or from the zoom. */
export function isDriven<T extends string | number>(value: Value<T>): value is Driven<T> {
  return typeof value === 'object'
}

/** The same computation with other results. */
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

function otherwiseOf<From, To>({ otherwise }: { otherwise?: From }, change: (result: From) => To) {
  return otherwise === undefined ? {} : { otherwise: change(otherwise) }
}
