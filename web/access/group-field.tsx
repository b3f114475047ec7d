import { useEffect } from 'preact/hooks'
import { SelectField } from '../components/select-field.tsx'
import { Refused } from '../components/states.tsx'
import { addressOf } from '../lib/base.ts'
import { accessTexts } from '../messages/access/texts.ts'
import { groupNames } from './permissions.ts'

/** A choice of one group, by the name `name`. */
export function GroupField() {
  const texts = accessTexts.value
  useEffect(() => void groupNames.load(), [])
  const { value, error } = groupNames.state.value
  if (error !== undefined) return <Refused error={error} />
  if (value?.length === 0)
    return (
      <p class="hint">
        {texts.noGroups} <a href={addressOf('/app/groups?new=1')}>{texts.groupsPage}</a>
      </p>
    )
  return (
    <SelectField
      name="name"
      label={texts.group}
      options={(value ?? []).map((name) => ({ value: name, text: name }))}
      value={value?.[0] ?? ''}
    />
  )
}
