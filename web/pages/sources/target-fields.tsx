import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { workspaceNames } from '../manage/listing.ts'
import { type Draft, textOf } from './types.ts'

const modes = ['REPLACE', 'UPSERT', 'APPEND'] as const

/** Fields of the destination: layer, update mode and keys. */
export function TargetFields({ draft }: { draft: Draft }) {
  const texts = sourceTexts.value.form
  const mode = useSignal<string>(draft.updateMode)
  useEffect(() => {
    void workspaceNames.load()
  }, [])
  const workspace = textOf(draft.target, 'workspace')
  const names = workspaceNames.value ?? []
  const offered = workspace === '' || names.includes(workspace) ? names : [workspace, ...names]
  return (
    <div class="fields">
      <SelectField
        key={offered.length}
        name="workspace"
        label={texts.workspace}
        value={workspace}
        options={[
          { value: '', text: texts.defaultWorkspace },
          ...offered.map((value) => ({ value, text: value })),
        ]}
      />
      <Field
        name="targetLayer"
        label={texts.targetLayer}
        hint={texts.targetLayerHint}
        maxLength={300}
        defaultValue={textOf(draft.target, 'layer')}
      />
      <SelectField
        name="updateMode"
        label={texts.mode}
        value={mode.value}
        options={modes.map((value) => ({ value, text: texts.modes[value] }))}
        onChange={(next) => {
          mode.value = next
        }}
      />
      {mode.value === 'UPSERT' && (
        <>
          <Field
            name="keys"
            label={texts.keys}
            hint={texts.keysHint}
            required
            defaultValue={(draft.keys ?? []).join(', ')}
          />
          <CheckField name="deleteMissing" label={texts.deleteMissing} isOn={draft.deleteMissing === true} />
        </>
      )}
      <Field
        name="srs"
        label={texts.srs}
        hint={texts.srsHint}
        maxLength={100}
        defaultValue={draft.srs ?? ''}
      />
    </div>
  )
}
