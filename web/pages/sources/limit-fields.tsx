import { useId } from 'preact/hooks'
import { Field } from '../../components/field.tsx'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { session } from '../../session/session.ts'
import { otherLimits } from './form-body.ts'
import type { Draft } from './types.ts'

const shownText = (value: number | undefined): string => (value === undefined ? '' : String(value))

/** Fields of the limits that stop a run. */
export function LimitFields({ stopIf }: Pick<Draft, 'stopIf'>) {
  const texts = sourceTexts.value.form
  const others = otherLimits(stopIf)
  const percent = { type: 'number', min: 0, max: 100, step: 'any' } as const
  return (
    <div class="fields">
      <p class="dim small whole">{texts.limitsHint}</p>
      <Field
        name="removedPercent"
        label={texts.removed}
        {...percent}
        defaultValue={shownText(stopIf?.removed?.percent)}
      />
      <Field
        name="changedPercent"
        label={texts.changed}
        {...percent}
        defaultValue={shownText(stopIf?.changed?.percent)}
      />
      <Field name="fewer" label={texts.fewer} type="number" min={0} defaultValue={shownText(stopIf?.fewer)} />
      {others.length > 0 && <p class="hint">{texts.otherLimits(others.length)}</p>}
    </div>
  )
}

/** Fields of receivers, retries and the owner. */
export function NotifyFields({ draft }: { draft: Draft }) {
  const texts = sourceTexts.value.form
  const id = useId()
  return (
    <div class="fields">
      <div class="field whole">
        <label for={id}>{texts.receivers}</label>
        <textarea
          class="in"
          id={id}
          name="receivers"
          rows={3}
          dir="auto"
          aria-describedby={`${id}-hint`}
          defaultValue={draft.receivers.join('\n')}
        />
        <p class="hint" id={`${id}-hint`}>
          {texts.receiversHint}
        </p>
      </div>
      <Field
        name="overdueMinutes"
        type="number"
        min={1}
        max={525_600}
        step="any"
        required
        label={texts.overdue}
        defaultValue={String(draft.overdueSeconds / 60)}
      />
      <Field
        name="retries"
        type="number"
        min={0}
        max={20}
        required
        label={texts.retries}
        defaultValue={String(draft.retry.times)}
      />
      {session.value?.role === 'admin' && (
        <Field
          name="owner"
          label={texts.owner}
          hint={texts.ownerHint}
          required
          maxLength={100}
          defaultValue={draft.owner}
        />
      )}
    </div>
  )
}
