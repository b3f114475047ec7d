import { call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { useActing } from '../../components/use-acting.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { isStaff } from '../../session/session.ts'
import { changeCall, type Layer, type Managed } from './types.ts'

interface InPlaceProps {
  id: string
  layer: Layer
  onChanged(): void
}

const choices = [
  { value: 'none', managed: false },
  { value: 'edit', managed: 'edit' },
  { value: 'load', managed: 'load' },
] as const

/** Permitted changes of a table that was published in place, its dropped columns, and faults of a raster. */
export function InPlace({ id, layer: { type, managed, altered, fault }, onChanged }: InPlaceProps) {
  const texts = layerTexts.value.inPlace
  const { isBusy, error, act } = useActing()
  if (managed === undefined) return null
  const change = async (requested: { managed: Managed } | { altered: [] }): Promise<void> => {
    if (await act(() => call(changeCall(id, requested)))) onChanged()
  }
  return (
    <div class="stack s2">
      {altered !== undefined && (
        <div class="note warn" role="status">
          <Icon name="bad" />
          <div>
            {altered.map((text) => (
              <p key={text} dir="auto">
                {text}
              </p>
            ))}
            {isStaff.value && (
              <button
                type="button"
                class="btn sm"
                disabled={isBusy.value}
                onClick={() => void change({ altered: [] })}
              >
                {texts.dismiss}
              </button>
            )}
          </div>
        </div>
      )}
      {fault !== undefined && (
        <div class="note warn" role="status">
          <Icon name="bad" />
          <p dir="auto">{fault}</p>
        </div>
      )}
      <p class="dim about">{type === 'RASTER' ? texts.rasterLead : texts.lead}</p>
      {isStaff.value && type !== 'RASTER' && (
        <div class="field">
          <label for="managed">{texts.label}</label>
          <select
            id="managed"
            class="in"
            disabled={isBusy.value}
            value={managed === false ? 'none' : managed}
            onChange={({ currentTarget: { value } }) =>
              void change({ managed: choices.find((one) => one.value === value)?.managed ?? false })
            }
          >
            {choices.map(({ value }) => (
              <option key={value} value={value}>
                {texts.choices[value]}
              </option>
            ))}
          </select>
        </div>
      )}
      <Refused error={error.value} />
    </div>
  )
}
