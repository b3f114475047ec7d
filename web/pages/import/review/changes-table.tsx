import { decidingTexts, importTexts } from '../../../messages/import/texts.ts'

/** Kind of change of a row. */
export type Change = keyof typeof signs

/** A row that would be added, changed or removed. */
export interface Changed {
  geometry: unknown
  properties: {
    change: Change
    featureId: string | null
    key: Record<string, unknown>
    before: Record<string, unknown> | null
    after: Record<string, unknown> | null
  }
}

interface TableProps {
  features: readonly Changed[]
  chosen: Changed | undefined
  onChoose(feature: Changed): void
}

const maxColumns = 60
const maxText = 300
/** Its colour, and its sign. */
export const signs = { added: ['add', '+'], changed: ['chg', '~'], removed: ['del', '−'] } as const

/** Rows with old and new values; changed columns first. */
export function ChangesTable({ features, chosen, onChoose }: TableProps) {
  const texts = decidingTexts.value
  if (features.length === 0) return <p class="dim">{texts.noChanges}</p>
  const columns = columnsOf(features).slice(0, maxColumns)
  return (
    <section class="scroll samples" tabIndex={0} aria-label={texts.samples}>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">{texts.what}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                <span class="cell" dir="auto">
                  {name}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {features.map((feature, index) => {
            const { change, before, after } = feature.properties
            const [sign, glyph] = signs[change]
            return (
              <tr key={`${index}`} aria-selected={feature === chosen ? 'true' : undefined}>
                <td>
                  <button type="button" class="btn quiet sm" onClick={() => onChoose(feature)}>
                    <i class={`gl ${sign}`} aria-hidden="true">
                      {glyph}
                    </i>
                    {texts[change]}
                  </button>
                </td>
                {columns.map((name) => (
                  <ValueCell key={name} change={change} before={before?.[name]} after={after?.[name]} />
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function columnsOf(features: readonly Changed[]): string[] {
  const differs = new Map<string, boolean>()
  for (const { properties } of features) {
    const { change, before, after } = properties
    for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
      const isOther = change === 'changed' && textOf(before?.[name]) !== textOf(after?.[name])
      differs.set(name, isOther || differs.get(name) === true)
    }
  }
  const names = [...differs.keys()]
  return [...names.filter((name) => differs.get(name)), ...names.filter((name) => !differs.get(name))]
}

function ValueCell({ change, before, after }: { change: Change; before: unknown; after: unknown }) {
  const [was, is] = [textOf(before), textOf(after)]
  const [isGone, isSame] = [change === 'removed', was === is]
  return (
    <td>
      {change !== 'added' && (isGone || !isSame) && (
        <del class="was cell" dir="auto">
          {shown(was)}
        </del>
      )}
      {!isGone && (
        <span class={`cell${change === 'changed' && !isSame ? ' is' : ''}`} dir="auto">
          {shown(is)}
        </span>
      )}
    </td>
  )
}

function shown(text: string): string {
  return text === '' ? importTexts.value.noValue : text.slice(0, maxText)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
