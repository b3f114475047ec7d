import { shownDay, shownNumber } from '../../components/formats.ts'
import { addressOf } from '../../lib/base.ts'
import { reportTexts } from '../../messages/report/texts.ts'
import type { Report } from './report-query.ts'

/** Layers that nobody requested in the period, with their last use. */
export function UnusedLayers({ report: { unused } }: { report: Report }) {
  const texts = reportTexts.value
  if (unused.length === 0) return null
  return (
    <section class="panel">
      <header>
        <h2>{texts.unused}</h2>
        <span class="small dim">{texts.unusedCount(unused.length)}</span>
      </header>
      <section class="scroll" tabIndex={0} aria-label={texts.unused}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.layer}</th>
              <th scope="col">{texts.lastUse}</th>
              <th scope="col" class="num">
                {texts.features}
              </th>
            </tr>
          </thead>
          <tbody>
            {unused.map(({ key, title, lastUse, rows }) => (
              <tr key={key}>
                <th scope="row">
                  <a href={addressOf(`/app/layers/${encodeURIComponent(key)}`)} dir="auto" title={key}>
                    {title.slice(0, 300)}
                  </a>
                </th>
                <td class="nowrap">{lastUse === null ? texts.never : shownDay(lastUse)}</td>
                <td class="num">{rows === null ? texts.unknown : shownNumber(rows)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}
