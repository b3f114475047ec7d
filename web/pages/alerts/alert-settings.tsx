import { useId } from 'preact/hooks'
import { alertTexts } from '../../messages/alerts/texts.ts'
import type { Draft } from './draft.ts'

const severities = ['warning', 'error', 'fatal']

/** Settings of an alert besides its condition. */
export function AlertSettings({ draft, onChange }: { draft: Draft; onChange(draft: Draft): void }) {
  const texts = alertTexts.value
  const id = useId()
  return (
    <div class="alert-more">
      <div class="field">
        <label for={`${id}-severity`}>{texts.severity}</label>
        <select
          class="in"
          id={`${id}-severity`}
          value={draft.severity}
          onChange={({ currentTarget }) => onChange({ ...draft, severity: currentTarget.value })}
        >
          {severities.map((one) => (
            <option key={one} value={one}>
              {texts.severities[one]}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.isActive}
            onChange={({ currentTarget }) => onChange({ ...draft, isActive: currentTarget.checked })}
          />
          {texts.active}
        </label>
      </div>
      <div class="field">
        <label for={`${id}-webhooks`}>{texts.webhooks}</label>
        <textarea
          class="in"
          id={`${id}-webhooks`}
          rows={2}
          placeholder={texts.webhooksHint}
          value={draft.webhooks}
          onInput={({ currentTarget }) => onChange({ ...draft, webhooks: currentTarget.value })}
        />
      </div>
    </div>
  )
}
