// Broken invariants stop the program: a core that goes on after one would hand out somebody's address.
import { FAULT } from "./layout";

/** An address was taken that was not free. */
export const FAULT_ADDRESS_TAKEN: u32 = 1;
/** An address was given back that was free already. */
export const FAULT_ADDRESS_FREE: u32 = 2;
/** Memory ran out in the middle of a change: the headroom reserved for a command was too small. */
export const FAULT_MEMORY: u32 = 3;
/** An event in the log names something that does not exist. */
export const FAULT_EVENT: u32 = 4;
/** The host broke the protocol: commit of more than was submitted, apply while commands are tentative. */
export const FAULT_PROTOCOL: u32 = 5;
/** The host gave bytes that are no record. */
export const FAULT_INPUT: u32 = 6;

/** Notes why, for the host to read from the dead instance, and traps. */
export function stop(reason: u32): void {
  store<u32>(FAULT, reason);
  unreachable();
}
