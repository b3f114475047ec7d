import { Type } from 'typebox'
import { hasQuantiles, namesWhere } from '../../../../monitoring/query/index.ts'

const decimal = (description: string) => Type.Optional(Type.String({ description }))
const NullableText = Type.Union([Type.String(), Type.Null()])

const withQuantiles = namesWhere(hasQuantiles)

const MetricRow = Type.Object({
  label: Type.Optional(Type.String({ description: 'Absent if rows are resources, users or label counts' })),
  user: Type.Optional(NullableText),
  id: Type.Optional(Type.Integer({ description: 'Type of the resource, if rows are resources' })),
  resource: Type.Optional(
    Type.Object({
      id: Type.Integer(),
      type: Type.String(),
      name: Type.String(),
      href: Type.Optional(Type.String()),
    }),
  ),
  event_type: Type.Optional(Type.String()),
  val: Type.Union([
    Type.String({ description: 'The metric in this period, with four decimals' }),
    Type.Integer({ description: 'A number of different labels, users or resources' }),
  ]),
  min: decimal('Smallest value of a minute'),
  max: decimal('Largest value of a minute'),
  sum: decimal('Sum of the values of all minutes'),
  samples_count: Type.Integer({ description: 'Requests or readings' }),
  metric_count: Type.Integer({ description: 'Values of minutes' }),
  p50: decimal(`Median of ${withQuantiles}`),
  p95: decimal(`Of ${withQuantiles}`),
  p99: decimal(`Of ${withQuantiles}`),
})

export const MetricDataReply = Type.Object({
  data: Type.Object({
    input_valid_from: Type.String({ description: 'Start of the first period' }),
    input_valid_to: Type.String({ description: 'End of the last period' }),
    metric: Type.String(),
    interval: Type.Integer({ description: 'Length of a period in seconds' }),
    type: Type.String({ description: 'count and value are sums, rate is a mean weighted by samples' }),
    axis_label: Type.String({ description: 'Unit' }),
    label: NullableText,
    resolution: Type.Optional(
      Type.Integer({ description: 'Resolution in seconds, if finer values are no longer stored' }),
    ),
    data: Type.Array(
      Type.Object({
        valid_from: Type.String(),
        valid_to: Type.String(),
        data: Type.Array(MetricRow, { description: 'Largest value first; empty: nothing was collected' }),
      }),
    ),
  }),
})
