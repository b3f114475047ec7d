import { useState } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { decidingTexts } from '../../../messages/import/texts.ts'
import type { StopIf, Task } from '../types.ts'
import { useRequested } from './use-requested.ts'
import { OutsideLimit, ValueLimits } from './value-limits.tsx'

interface LimitsProps {
  task: Pick<Task, 'stopIf' | 'rejectLimit'>
  /** Columns of the existing layer. */
  columns: readonly { name: string }[]
  send(body: object): Promise<void>
}

/** Limits that stop a load before its commit: a sentence with fields; an empty field is not a limit. */
export function Limits({ task, columns, send }: LimitsProps) {
  const texts = decidingTexts.value
  const count = Object.keys(task.stopIf ?? {}).length
  const [isOpen, setOpen] = useState(count > 0 || task.rejectLimit !== undefined)
  const { value: rules, change: changeRules } = useRequested<StopIf, void>(task.stopIf ?? {}, (next) =>
    send({ stopIf: Object.keys(next).length === 0 ? null : next }),
  )
  const put = (change: StopIf): void => {
    const given = Object.entries({ ...rules, ...change }).filter(([, value]) => value !== undefined)
    void changeRules(Object.fromEntries(given))
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{count === 0 ? texts.limits : texts.limitsSet(count)}</summary>
      <div class="sentence">
        <p>{texts.stopWhere}</p>
        <ul>
          <li>
            {texts.moreThan}{' '}
            <input
              class="in few"
              aria-label={texts.mostRejected}
              placeholder="0"
              maxLength={12}
              defaultValue={task.rejectLimit === undefined ? '' : String(task.rejectLimit)}
              onChange={({ currentTarget: { value } }) =>
                void send({ rejectLimit: value.trim() === '' ? 0 : value })
              }
            />{' '}
            {texts.areRejected}
          </li>
          <li>
            {texts.moreThan}{' '}
            <Percent
              name={texts.removedPercent}
              rule={rules.removed}
              onChange={(removed) => put({ removed })}
            />{' '}
            {texts.areRemoved}
          </li>
          <li>
            {texts.moreThan}{' '}
            <Percent
              name={texts.changedPercent}
              rule={rules.changed}
              onChange={(changed) => put({ changed })}
            />{' '}
            {texts.areChanged}
          </li>
          <OtherRules rules={rules} put={put} />
          <Empties rules={rules} columns={columns} put={put} />
          <ValueLimits rules={rules} columns={columns} put={put} />
          <OutsideLimit rules={rules} put={put} />
        </ul>
      </div>
    </details>
  )
}

interface RulesProps {
  rules: StopIf
  put(change: StopIf): void
}

/** Rows, columns and coordinate system. */
function OtherRules({ rules, put }: RulesProps) {
  const texts = decidingTexts.value
  return (
    <>
      <li>
        {texts.fewerThan}{' '}
        <input
          class="in few"
          type="number"
          min="0"
          step="1"
          aria-label={texts.fewestRows}
          defaultValue={rules.fewer === undefined ? '' : String(rules.fewer)}
          onChange={({ currentTarget }) => put({ fewer: numberOf(currentTarget.value) })}
        />{' '}
        {texts.rowsCome}
      </li>
      <li>
        <select
          class="in"
          aria-label={texts.columnsRule}
          value={rules.columns ?? ''}
          onChange={({ currentTarget: { value } }) =>
            put({ columns: value === 'lost' || value === 'any' ? value : undefined })
          }
        >
          <option value="">{texts.columnsFree}</option>
          <option value="lost">{texts.columnsLost}</option>
          <option value="any">{texts.columnsAny}</option>
        </select>
      </li>
      <li>
        <label class="check">
          <input
            type="checkbox"
            checked={rules.crs === true}
            onChange={({ currentTarget }) => put({ crs: currentTarget.checked ? true : undefined })}
          />
          {texts.otherCrs}
        </label>
      </li>
    </>
  )
}

interface PercentProps {
  name: string
  rule: { percent?: number; rows?: number } | undefined
  onChange(rule: { percent: number } | undefined): void
}

function Percent({ name, rule, onChange }: PercentProps) {
  return (
    <>
      <input
        class="in few"
        type="number"
        min="0"
        max="100"
        step="any"
        aria-label={name}
        defaultValue={rule?.percent === undefined ? '' : String(rule.percent)}
        onChange={({ currentTarget }) => {
          const percent = numberOf(currentTarget.value)
          onChange(percent === undefined ? undefined : { percent })
        }}
      />{' '}
      %
    </>
  )
}

/** Columns that may be empty in so many rows. */
function Empties({ rules, columns, put }: RulesProps & Pick<LimitsProps, 'columns'>) {
  const texts = decidingTexts.value
  const empty = rules.empty ?? {}
  const set = (name: string, rule: { percent: number } | undefined): void => {
    const next = Object.fromEntries(
      Object.entries({ ...empty, [name]: rule }).filter(([, value]) => value !== undefined),
    ) as StopIf['empty']
    put({ empty: Object.keys(next ?? {}).length === 0 ? undefined : next })
  }
  const free = columns.filter(({ name }) => empty[name] === undefined)
  return (
    <>
      {Object.entries(empty).map(([name, rule]) => (
        <li key={name}>
          {texts.moreThan}{' '}
          <Percent name={texts.emptyPercent(name)} rule={rule} onChange={(next) => set(name, next)} />{' '}
          {texts.lackValue} <b dir="auto">{name}</b>
        </li>
      ))}
      {free.length > 0 && (
        <li>
          <Icon name="plus" />{' '}
          <select
            class="in"
            aria-label={texts.emptyColumn}
            value=""
            onChange={({ currentTarget }) => set(currentTarget.value, { percent: 5 })}
          >
            <option value="">{texts.emptyColumn}</option>
            {free.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </li>
      )}
    </>
  )
}

function numberOf(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}
