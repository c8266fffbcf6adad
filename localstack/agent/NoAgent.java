/**
 * A Java agent that does nothing. LocalStack starts DynamoDB Local with an agent of
 * its own, to lift the limit on indexes; this one stands in its place.
 */
public final class NoAgent {
	private NoAgent() {}

	public static void premain(String arguments) {}
}
