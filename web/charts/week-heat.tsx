import { chartTexts } from '../messages/charts/texts.ts'
import { colourOf } from './course.ts'
import { savePicture } from './save-chart.ts'

/** Seven days of 24 hours, Monday first; null where nothing was measured. */
export type WeekHours = readonly (readonly (number | null)[])[]

const hours = Array.from({ length: 24 }, (_, hour) => hour)
const shades = 5

/** Returns one of five shades of a value; 0 if there is none. */
function shadeOf(value: number | null, most: number): number {
  if (value === null || value <= 0 || most <= 0) return 0
  return Math.min(shades, Math.max(1, Math.ceil((value / most) * shades)))
}

interface Props {
  label: string
  days: readonly string[]
  values: WeekHours
  shown(value: number): string
}

/** Heat map of the hours of a week, as an accessible table. */
export function WeekHeat({ label, days, values, shown }: Props) {
  const texts = chartTexts.value
  const most = mostOf(values)
  return (
    <section class="scroll body" tabIndex={0} aria-label={chartTexts.value.tableOf(label)}>
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">
              <span class="vh">{texts.weekday}</span>
            </th>
            {hours.map((hour) => (
              <th key={hour} scope="col">
                <span class={hour % 4 === 0 ? '' : 'vh'}>{String(hour).padStart(2, '0')}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((row, day) => (
            <tr key={days[day]}>
              <th scope="row">{days[day]}</th>
              {row.map((value, hour) => (
                <td
                  key={hour}
                  class={`h${shadeOf(value, most)}`}
                  title={value === null ? texts.noHour : shown(value)}
                >
                  <span class="vh">{value === null ? texts.noHour : shown(value)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function mostOf(values: WeekHours): number {
  return Math.max(0, ...values.flat().map((value) => value ?? 0))
}

const cell = 24

export function saveHeatPicture(title: string, days: readonly string[], values: WeekHours): void {
  const most = mostOf(values)
  const ground = ['var(--sunk)', 'var(--h1)', 'var(--h2)', 'var(--h3)', 'var(--h4)', 'var(--h5)']
  const colours = ground.map((role) => colourOf(role, document.body))
  const ink = colourOf('var(--ink-2)', document.body)
  savePicture(title, { width: 48 + 24 * cell, height: 7 * cell + 24 }, (context) => {
    context.font = '12px "Plex Sans", sans-serif'
    for (const [day, row] of values.entries()) {
      context.fillStyle = ink
      context.fillText(days[day] ?? '', 0, day * cell + 16, 44)
      for (const [hour, value] of row.entries()) {
        context.fillStyle = colours[shadeOf(value, most)] ?? ''
        context.fillRect(48 + hour * cell, day * cell, cell - 2, cell - 2)
      }
    }
    context.fillStyle = ink
    for (const hour of hours)
      if (hour % 4 === 0) context.fillText(String(hour).padStart(2, '0'), 48 + hour * cell, 7 * cell + 16)
  })
}
