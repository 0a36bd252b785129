/** Counts of addresses: exact while a person can read them, rounded where an IPv6 pool has more than atoms. */

const exactDigits = 9;

/** `decimal` is a whole number in digits: `254` stays, `18446744073709551616` becomes `1.8e19`. */
export function countText(decimal: string): string {
  if (decimal.length <= exactDigits) return decimal;
  return `${decimal.charAt(0)}.${decimal.charAt(1)}e${decimal.length - 1}`;
}
