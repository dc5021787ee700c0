import type { Translated } from '../../http/negotiation.ts'

/** What is told when the portal refuses something; a part of `payer/texts.ts`. */
export const refusedTextsInEnglish = {
  refused_factors_changed_lately:
    'Your phone number, PIN or authenticator has changed within 24 hours. Until a day has ' +
    'passed, you can change neither owners nor the payout account. Nothing was done.',
  refused_last_admin_is_needed: 'This is the last admin: make somebody else an admin first.',
  refused_last_owner_is_needed: 'This is the last owner: make somebody else an owner first.',
  refused_merchants_are_too_many:
    'You have reached the limit of merchants for one person. Contact us if you need more.',
  refused_organization_is_claimed:
    'Another merchant has this organisation number now. Nothing was done.',
  refused_person_is_on_the_staff_already:
    'This person is on the staff already, or invited. Change the role instead.',
  refused_refunds_are_not_yours_to_give:
    'This API user may refund: only an owner can change it. Nothing was done.',
  refused_role_forbids_it: 'Your role does not allow this. Nothing was done.',
  refused_staff_is_too_large: 'There are 200 people on the staff: remove somebody first.',
}

export const refusedTextsInNorwegian: Translated<typeof refusedTextsInEnglish> = {
  refused_factors_changed_lately:
    'Telefonnummeret, PIN-koden eller autentiseringsappen din er endret det siste døgnet. Før et ' +
    'døgn er gått, kan du verken endre eiere eller kontoen for utbetaling. Ingenting ble gjort.',
  refused_last_admin_is_needed: 'Dette er den siste administratoren: utnevn en annen først.',
  refused_last_owner_is_needed: 'Dette er den siste eieren: gjør noen andre til eier først.',
  refused_merchants_are_too_many:
    'Du har nådd grensen for butikker for én person. Kontakt oss hvis du trenger flere.',
  refused_organization_is_claimed:
    'En annen butikk har dette organisasjonsnummeret nå. Ingenting ble gjort.',
  refused_person_is_on_the_staff_already:
    'Denne personen er allerede ansatt eller invitert. Endre rollen i stedet.',
  refused_refunds_are_not_yours_to_give:
    'Denne API-brukeren kan refundere: bare en eier kan endre den. Ingenting ble gjort.',
  refused_role_forbids_it: 'Rollen din tillater ikke dette. Ingenting ble gjort.',
  refused_staff_is_too_large: 'Det er 200 ansatte: fjern noen først.',
}
