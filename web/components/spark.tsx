interface Props {
  values: number[]
  label: string
}

const width = 200
const height = 26

/** Sparkline; its label contains minimum and maximum. */
export function Spark({ values, label }: Props) {
  const most = Math.max(1, ...values)
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * width
    return `${x.toFixed(1)} ${(height - 2 - (value / most) * (height - 5)).toFixed(1)}`
  })
  const line = `M${points.join('L')}`
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="c-area" d={`${line}L${width} ${height}L0 ${height}Z`} />
      <path class="c-line" d={line} vector-effect="non-scaling-stroke" />
    </svg>
  )
}
